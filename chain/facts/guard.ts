/** The guard's state at a block. */
import { getAddress, Interface } from "ethers";
import type { PendingChange } from "../../attestor/evidence/facts.ts";
import type { Route } from "../../attestor/registry.ts";
import type { Caller } from "../blockReads.ts";
import { orNull, upstream } from "../rpc.ts";
import VIEWS from "../views.json" with { type: "json" };

const abi = new Interface(VIEWS.guard);

/** What the guard's list of routes knows a route by. */
type RouteKey = Pick<Route, "address" | "selector">;

export interface GuardState<R extends RouteKey = Route> {
  /** The contract that calls the routes, and that their call data names. */
  readonly executor: string;
  readonly paused: boolean;
  readonly signer: string;
  readonly recipientAllowed: boolean;
  readonly pending: readonly PendingChange[];
  readonly routes: readonly { route: R; allowed: boolean }[];
}

/**
 * @param caller reads at the block that is meant
 * @param pendingOf what waits of the guard under a manager, at the same block
 * @param recipient null when the output goes to the owner, which needs no list
 * @returns null where there is no guard
 * @throws UpstreamUnavailable when the node does not answer
 */
export async function readGuardState<R extends RouteKey>(
  caller: Caller,
  { guard, routes }: { readonly guard: string; readonly routes: readonly R[] },
  recipient: string | null,
  pendingOf: (manager: string) => Promise<readonly PendingChange[]>,
): Promise<GuardState<R> | null> {
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
          routes.map(async (route) => ({
            route,
            allowed: Boolean(await ask("isRouteAllowed", [route.address, route.selector])),
          })),
        ),
        ask("authority").then((manager) => pendingOf(getAddress(String(manager)))),
      ]),
    ),
  );
  if (state === null) return null;
  const [executor, paused, signer, recipientAllowed, allowed, pending] = state;
  return {
    executor: getAddress(String(executor)),
    paused: Boolean(paused),
    signer: getAddress(String(signer)),
    recipientAllowed: Boolean(recipientAllowed),
    routes: allowed,
    pending,
  };
}
