/** Halts and migrations, by what lists say of a token. Pure. */
import type { UnixSeconds } from "../../attestor/values/time.ts";
import type { MarketAsset } from "../queries.ts";
import type { CorporateAction, Told } from "../series/corporateActions.ts";
import type { ListingState } from "./sources.ts";

/** What lists say of one token. */
export interface Listed {
  readonly asset: Pick<MarketAsset, "assetKey" | "address">;
  /** As it counts: a list that does not answer lifts no halt. */
  readonly isHalted: boolean;
  readonly halting: readonly ListingState[];
  /** With the address where it stands now. */
  readonly moved: readonly ListingState[];
  readonly there: readonly ListingState[];
}

/** All actions of a token after its lists were read; those that stay are the same objects. */
export function listedNow(
  actions: readonly CorporateAction[],
  { asset, isHalted, halting, moved, there }: Listed,
  now: UnixSeconds,
): CorporateAction[] {
  const { assetKey, address } = asset;
  const ended = (action: CorporateAction, status: "ended" | "withdrawn"): CorporateAction => ({
    ...action,
    ...{ status, endedAt: now, changedAt: now, revision: action.revision + 1 },
  });
  const all = actions.map((action) => {
    if (action.status !== "applied") return action;
    if (action.kind === "halt" && !isHalted) return ended(action, "ended");
    const isBack = there.some(({ source }) => action.told.some((told) => told.source === source));
    return action.kind === "migration" && isBack ? ended(action, "withdrawn") : action;
  });
  const isOpen = (kind: string, after: string | null) =>
    all.some((one) => one.kind === kind && one.status === "applied" && one.after === after);
  // A halt that was found in the database is on no list yet: it is reported once it is.
  if (isHalted && halting.length > 0 && !isOpen("halt", null))
    all.push(begun(assetKey, "halt", halting, { before: null, after: null }, now));
  for (const row of moved) {
    const after = row.successor ?? null;
    if (!isOpen("migration", after))
      all.push(begun(assetKey, "migration", [row], { before: address, after }, now));
  }
  return all;
}

function begun(
  assetKey: string,
  kind: "halt" | "migration",
  rows: readonly ListingState[],
  values: Pick<Told, "before" | "after">,
  now: UnixSeconds,
): CorporateAction {
  const told = rows.map(({ source, rawHash = null }): Told => {
    const times = { effectiveAt: null, seenAt: now, withdrawnAt: null };
    return { source, ...values, ...times, kind: null, announced: true, rawHash };
  });
  return {
    ...{ id: null, assetKey, kind, status: "applied", inferred: false, ...values, told },
    state: told.length > 1 ? "agreed" : "single",
    ...{ effectiveAt: null, announcedAt: null, appliedAt: now, endedAt: null, at: now },
    ...{ revision: 1, changedAt: now },
  };
}
