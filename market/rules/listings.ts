/** Which tokens are halted, and which have moved or are gone, of what lists state. Pure. */
import type { AnnouncedAction, ListingState } from "../statement.ts";

/** Which list says that a token's trading stands still, by asset key. */
export type Halts = ReadonlyMap<string, string>;

/** Of a halt that was found in the database: any list lifts it. */
export const ANY_LIST = "";

/** A list that cannot be had, or does not say, says nothing new: what it halted stays so. */
export function listingStates(
  stated: readonly ListingState[],
  before: Halts,
): { readonly halted: Halts; readonly states: ReadonlyMap<string, string> } {
  const halted = new Map(before);
  const states = new Map<string, string>();
  for (const [subject, own] of Map.groupBy(stated, (one) => one.subject)) {
    const by = halted.get(subject) ?? ANY_LIST;
    const halting = own.find(({ isHalted }) => isHalted === true);
    const isLifted = own.some(
      ({ isHalted, source }) => isHalted === false && (by === ANY_LIST || by === source),
    );
    if (halting) halted.set(subject, halting.source);
    else if (isLifted) halted.delete(subject);
    const moved = own.find(({ figure }) => figure !== "listed")?.figure;
    states.set(subject, moved ?? (halted.has(subject) ? "halted" : "listed"));
  }
  return { halted, states };
}

/** Tokens that their list has at one new address; of several none is the successor. */
export function migrations(
  stated: readonly ListingState[],
  addresses: ReadonlyMap<string, string>,
): AnnouncedAction[] {
  return stated.flatMap(({ subject, source, origin, at, rawHash, figure, addresses: now = [] }) => {
    const [successor, another] = now;
    if (figure !== "migrated" || successor === undefined || another !== undefined) return [];
    const before = addresses.get(subject) ?? null;
    const stated = { of: "action", kind: "migration", subject, source, origin, at, rawHash } as const;
    return [{ ...stated, figure: successor, before, effectiveAt: null }];
  });
}
