/** What issuers' lists say of the tokens: which are halted, and which have moved or are gone. */
import { noted } from "./accepted.ts";
import { type Figure, noteFigures } from "./figures.ts";
import { grouped, NOTHING, type Step } from "./types.ts";

/** A list that cannot be had says nothing new: what was halted stays so. */
export const readListings: Step = async (round) => {
  const { listingsOf } = round.sources;
  if (!listingsOf) return NOTHING;
  const rows = await noted(round, await listingsOf(round.assets));
  const figures: Figure[] = [];
  const halted = new Set(round.memory.halted);
  for (const [subject, stated] of grouped(rows, ({ assetKey }) => assetKey)) {
    const isHalted = stated.some((row) => row.isHalted === true);
    if (isHalted) halted.add(subject);
    else halted.delete(subject);
    const moved = stated.find(({ state }) => state !== "listed")?.state;
    figures.push({ kind: "listing", subject, state: moved ?? (isHalted ? "halted" : "listed") });
  }
  round.memory.halted = halted;
  await noteFigures(round, figures);
  return figures.length;
};
