/** Whether the guard lists a route or a recipient now. */
import { guardAt } from "../../chain/abis.ts";
import { upstream } from "../../chain/rpc.ts";
import type { Session } from "../session/session.ts";

/** @throws UpstreamUnavailable */
export async function isListed(
  { connection: { provider }, place }: Session,
  view: "isRouteAllowed" | "isRecipientAllowed",
  args: readonly string[],
): Promise<boolean> {
  const guard = guardAt(place.guard, provider);
  return Boolean(await upstream("guard allowlists", () => guard.getFunction(view).staticCall(...args)));
}
