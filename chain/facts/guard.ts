/** The guard's state at a block. */
import { getAddress, type Provider } from "ethers";
import type { Route } from "../../attestor/registry.ts";
import { TradeGuard__factory } from "../../types/contracts/factories/contracts/TradeGuard__factory.ts";
import type { Deployment } from "../deployment.ts";
import { UpstreamUnavailable } from "../errors.ts";
import { orNull, upstream } from "../rpc.ts";

export interface GuardState {
  readonly paused: boolean;
  readonly signer: string;
  readonly recipientAllowed: boolean;
  readonly routes: readonly { route: Route; allowed: boolean }[];
}

/**
 * @param recipient null when the output goes to the owner, which needs no list
 * @throws UpstreamUnavailable when the node does not answer or has no guard there
 */
export async function readGuard(
  provider: Provider,
  deployment: Deployment,
  recipient: string | null,
  blockTag: number,
): Promise<GuardState> {
  const guard = TradeGuard__factory.connect(deployment.guard, provider);
  const state = await upstream("guard state", () =>
    orNull(() =>
      Promise.all([
        guard.paused({ blockTag }),
        guard.getFunction("signer")({ blockTag }),
        recipient === null ? true : guard.isRecipientAllowed(recipient, { blockTag }),
        Promise.all(
          deployment.registry.routes.map(async (route) => ({
            route,
            allowed: await guard.isRouteAllowed(route.address, route.selector, { blockTag }),
          })),
        ),
      ]),
    ),
  );
  if (state === null) throw new UpstreamUnavailable(`The chain has no guard at ${deployment.guard}.`);
  const [paused, signer, recipientAllowed, routes] = state;
  return { paused, signer: getAddress(signer), recipientAllowed, routes };
}
