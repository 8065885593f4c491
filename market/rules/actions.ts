/** Changes of tokens' shares that are announced with their factors. Pure. */
import type { UnixSeconds } from "../../attestor/values/time.ts";
import { toldChange } from "../providers/contracts.ts";
import type { Announcement } from "../series/corporateActions.ts";
import type { AnnouncedAction, ShareRatio } from "../statement.ts";

/** What issuers and mints announce beside the factor that counts now. */
export function announcedWith(ratios: readonly ShareRatio[], now: UnixSeconds): AnnouncedAction[] {
  return ratios.flatMap(({ subject, source, origin, figure, at, rawHash, change }) => {
    if (change === null) return [];
    const { next, effectiveAt, reason } = change;
    const announced = toldChange({ before: figure, next, effectiveAt }, now);
    const stated = {
      of: "action",
      kind: reason ?? "multiplier",
      subject,
      source,
      origin,
      at,
      rawHash,
    } as const;
    return announced === null ? [] : [{ ...stated, ...announced }];
  });
}

export const announcementOf = (one: AnnouncedAction): Announcement => ({
  assetKey: one.subject,
  kind: one.kind,
  before: one.before,
  after: one.figure,
  effectiveAt: one.effectiveAt,
  source: one.source,
  rawHash: one.rawHash,
});
