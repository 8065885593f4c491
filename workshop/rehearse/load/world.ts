/** What the clients find in the local world. */
import { listedAssets } from "../../../api/data/listing.ts";
import { createCalendar } from "../../../attestor/calendar.ts";
import { POLICIES } from "../../../attestor/policies/policy.ts";
import type { LocalMarketDeps } from "../../../devnet/market/sources.ts";
import type { Shape } from "../shape/shape.ts";

export const marketOf = ({
  deployment,
  provider,
}: Pick<Shape, "deployment" | "provider">): LocalMarketDeps => ({
  deployment,
  provider,
  assets: listedAssets(deployment),
  now: Date.now,
});

/** From the strictest on. */
const BY_STRICTNESS = ["STRICT_LIVE", "EXTENDED_HOURS", "LAST_CLOSE"];

/** @returns the strictest policy that lets a trade through at that hour of the week. @param now unix seconds */
export function policyAt(now: number): string {
  const { state } = createCalendar().sessionAt(now);
  const isOpen = (id: string) =>
    POLICIES.get(id)?.definition.allowedSessions.some((allowed) => allowed === state) ?? false;
  return BY_STRICTNESS.find(isOpen) ?? "LAST_CLOSE";
}
