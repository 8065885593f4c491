/** What an admin sees before a guard is deployed, and the look at the deployer's purse. */
import { formatEther, getCreateAddress, Interface, type JsonRpcProvider, ZeroAddress } from "ethers";
import { coinOf } from "../../attestor/chains.ts";
import { describeEvent } from "../../chain/guard/events.ts";
import { upstream } from "../../chain/rpc.ts";
import { AdminError } from "../adminErrors.ts";
import { currentFees } from "../transactions/send.ts";
import { simulatedEvents } from "../transactions/simulate.ts";
import { gasText } from "../transactions/transactionLines.ts";
import { type Deploying, hasJournal, placesOf } from "./ignite.ts";

/** @throws AdminError `refused` when the deployer cannot pay; UpstreamUnavailable */
export async function showDeployment(deploying: Deploying, reason: string | undefined): Promise<void> {
  const { world, connection, build, roles, account, dir } = deploying;
  const { provider, chainId } = connection;
  const { address: from } = account;
  const block = await upstream("block", () => provider.getBlockNumber());
  const pauser = roles.pauser ?? ZeroAddress;
  const data = `${build.deployment.bytecode}${new Interface(build.deployment.abi).encodeDeploy([roles.admin, pauser, roles.signer, roles.delay]).slice(2)}`;
  const gas = await upstream("gas estimate", () => provider.estimateGas({ from, data }));
  const { maxFeePerGas } = await currentFees({ connection });
  const balance = await assertFunded(provider, chainId, from, gas * maxFeePerGas);
  const nonce = await upstream("nonce", () => provider.getTransactionCount(from));
  const places = placesOf(getCreateAddress({ from, nonce }));
  const events = await simulatedEvents(provider, places, { from, data });
  for (const line of [
    `Chain     ${chainId} (${connection.networkName}), block ${block}`,
    `Deployer  ${from}, has ${formatEther(balance)} ${coinOf(chainId)}`,
    ...(reason === undefined ? [] : [`Reason    ${reason}`]),
    `Source    commit ${(await world.commit()) ?? "not known"}, solc ${build.compiler.version}`,
    "",
    hasJournal(dir)
      ? `1. go on with the deployment of ${dir}`
      : `1. deploy TradeGuard at ${places.guard}, its AccessManager at ${places.manager}, and its executor`,
    `   change  guard on chain ${chainId}: none -> ${places.guard}`,
    `   call    constructor(initialAdmin: ${roles.admin}, initialPauser: ${pauser}, initialSigner: ${roles.signer}, delaySeconds: ${roles.delay})`,
    `   gas     ${gasText(gas, chainId, maxFeePerGas)} at most`,
    ...(events ?? []).map((event) => `   event   ${describeEvent(event)}`),
    "",
  ])
    world.print(line);
}

/** @throws AdminError `refused` when the account cannot pay that much; UpstreamUnavailable */
async function assertFunded(
  provider: JsonRpcProvider,
  chainId: number,
  account: string,
  cost: bigint,
): Promise<bigint> {
  const balance = await upstream("balance", () => provider.getBalance(account));
  if (balance < cost)
    throw new AdminError(
      "refused",
      `The deployer ${account} has ${formatEther(balance)} ${coinOf(chainId)}, and the deployment may cost ${formatEther(cost)}.`,
    );
  return balance;
}
