/** What an admin sees before a guard is deployed, and the look at the deployer's purse. */
import { formatEther } from "ethers";
import { coinOf } from "../../attestor/chains.ts";
import { describeEvent } from "../../chain/guard/events.ts";
import { upstream } from "../../chain/rpc.ts";
import type { Roles } from "../admin/holders.ts";
import type { Session } from "../admin/session.ts";
import { CommandError } from "../errors.ts";
import { gasText } from "../plan/lines.ts";
import { simulatedEvents, tried } from "../plan/simulate.ts";
import { currentFees } from "../sending/attempt.ts";
import type { Build } from "./build.ts";
import { constructorArguments, type Places } from "./deployment.ts";

/** A guard that is to be, and where. */
export interface Deploying {
  readonly session: Session;
  readonly build: Build;
  readonly roles: Roles;
  readonly places: Places;
}

/**
 * @returns the estimate of its gas
 * @throws CommandError `refused` when the deployer cannot pay, or the chain lacks the CREATE2 deployer; UpstreamUnavailable
 */
export async function showDeployment(
  { session, build, roles, places }: Deploying,
  from: string,
  reason: string | undefined,
): Promise<bigint> {
  const { world, connection } = session;
  const { provider, chainId, networkName } = connection;
  const { to, data } = places.deployment;
  if ((await upstream("code", () => provider.getCode(to))) === "0x")
    throw new CommandError("refused", `This chain lacks the CREATE2 deployer at ${to}.`);
  const block = await upstream("block", () => provider.getBlockNumber());
  const gas = await tried(provider, "deploy the guard", { from, to, data });
  const { maxFeePerGas } = await currentFees(provider);
  const balance = await upstream("balance", () => provider.getBalance(from));
  const cost = gas * maxFeePerGas;
  if (balance < cost)
    throw new CommandError(
      "refused",
      `The deployer ${from} has ${formatEther(balance)} ${coinOf(chainId)}, and the deployment may cost ${formatEther(cost)}.`,
    );
  const events = await simulatedEvents(provider, places, { from, to, data });
  const values = Object.entries(constructorArguments(roles)).map(([name, value]) => `${name}: ${value}`);
  const commit = (await world.commit()) ?? "not known";
  for (const line of [
    `Chain     ${chainId} (${networkName}), block ${block}`,
    `Deployer  ${from}, has ${formatEther(balance)} ${coinOf(chainId)}`,
    ...(reason === undefined ? [] : [`Reason    ${reason}`]),
    `Source    commit ${commit}, solc ${build.compiler.version}`,
    "",
    `1. deploy TradeGuard at ${places.guard}, its AccessManager at ${places.manager}, and its executor`,
    `   change  guard on chain ${chainId}: none -> ${places.guard}`,
    `   call    constructor(${values.join(", ")})`,
    `   gas     ${gasText(gas, chainId, maxFeePerGas)} at most`,
    ...(events ?? []).map((event) => `   event   ${describeEvent(event)}`),
    "",
  ])
    world.out(line);
  return gas;
}
