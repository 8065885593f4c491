/** The guard's state at a block. */
import { getAddress, type Interface } from "ethers";
import type { PendingChange } from "../../attestor/evidence/facts.ts";
import type { Route } from "../../attestor/registry.ts";
import { TradeGuard__factory } from "../../types/contracts/factories/contracts/TradeGuard__factory.ts";
import type { Caller } from "../blockReads.ts";
import { UpstreamUnavailable } from "../chainErrors.ts";
import type { Deployment } from "../deployment.ts";
import { orNull, upstream } from "../rpc.ts";

const abi: Interface = TradeGuard__factory.createInterface();

export interface GuardState {
  /** The contract that calls the routes, and that their call data names. */
  readonly executor: string;
  readonly paused: boolean;
  readonly signer: string;
  readonly recipientAllowed: boolean;
  readonly pending: readonly PendingChange[];
  readonly routes: readonly { route: Route; allowed: boolean }[];
}

/**
 * @param caller reads at the block that is meant
 * @param pendingOf what waits of the guard under a manager, at the same block
 * @param recipient null when the output goes to the owner, which needs no list
 * @throws UpstreamUnavailable when the node does not answer or has no guard there
 */
export async function readGuardState(
  caller: Caller,
  { guard, registry }: Pick<Deployment, "guard" | "registry">,
  recipient: string | null,
  pendingOf: (manager: string) => Promise<readonly PendingChange[]>,
): Promise<GuardState> {
  const ask = async (
    name: "authority" | "executor" | "paused" | "signer" | "isRecipientAllowed" | "isRouteAllowed",
    args: string[] = [],
  ) => {
    const data = abi.encodeFunctionData(name, args);
    return abi.decodeFunctionResult(name, await caller.call({ to: guard, data }))[0];
  };
  const state = await upstream("guard state", () =>
    orNull(() =>
      Promise.all([
        ask("executor"),
        ask("paused"),
        ask("signer"),
        recipient === null ? true : ask("isRecipientAllowed", [recipient]),
        Promise.all(
          registry.routes.map(async (route) => ({
            route,
            allowed: Boolean(await ask("isRouteAllowed", [route.address, route.selector])),
          })),
        ),
        ask("authority").then((manager) => pendingOf(getAddress(String(manager)))),
      ]),
    ),
  );
  if (state === null) throw new UpstreamUnavailable(`The chain has no guard at ${guard}.`);
  const [executor, paused, signer, recipientAllowed, routes, pending] = state;
  return {
    executor: getAddress(String(executor)),
    paused: Boolean(paused),
    signer: getAddress(String(signer)),
    recipientAllowed: Boolean(recipientAllowed),
    routes,
    pending,
  };
}
