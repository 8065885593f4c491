/** What issuers' lists say of the tokens: which are halted, and which have moved or are gone. */
import { noted } from "./accepted.ts";
import { type Figure, noteFigures } from "./figures.ts";
import { NOTHING, type Round, type Step } from "./types.ts";

/** Of a halt that was found in the database: any list lifts it. */
const ANY_LIST = "";

/** A list that cannot be had, or does not say, says nothing new: what it halted stays so. */
export const readListings: Step = async (round) => {
  const { memory, sources } = round;
  memory.halted ??= await haltedBefore(round);
  memory.listed = [];
  if (!sources.listingsOf) return NOTHING;
  const rows = await noted(round, await sources.listingsOf(round.assets));
  memory.listed = rows;
  const halted = new Map(memory.halted);
  const figures: Figure[] = [];
  for (const [subject, stated] of Map.groupBy(rows, ({ assetKey }) => assetKey)) {
    const by = halted.get(subject) ?? ANY_LIST;
    const halting = stated.find(({ isHalted }) => isHalted === true);
    const isLifted = stated.some(
      ({ isHalted, source }) => isHalted === false && (by === ANY_LIST || by === source),
    );
    if (halting) halted.set(subject, halting.source);
    else if (isLifted) halted.delete(subject);
    const moved = stated.find(({ state }) => state !== "listed")?.state;
    figures.push({ kind: "listing", subject, state: moved ?? (halted.has(subject) ? "halted" : "listed") });
  }
  memory.halted = halted;
  await noteFigures(round, figures);
  return figures.length;
};

/** A restart lifts no halt. */
async function haltedBefore({ db }: Round): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom("market_figures")
    .select("subject")
    .where("kind", "=", "listing")
    .where("state", "=", "halted")
    .execute();
  return new Map(rows.map(({ subject }) => [subject, ANY_LIST]));
}
