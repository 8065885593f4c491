/** A day in which something is always wrong through the collectors: each fault of the table, one after the other. */
import { readFileSync } from "node:fs";
import { expect } from "chai";
import { z } from "zod";
import { Patch } from "../../support/providers/patches.ts";
import { expectedOf } from "./expected.ts";
import { replayDay } from "./replayDay.ts";
import { compare, servedOf } from "./served.ts";

const ROWS = Object.values(
  z
    .record(z.string(), z.array(z.object({ patches: z.array(Patch), rounds: z.int().default(2) })))
    .parse(JSON.parse(readFileSync(new URL("../collect/faults.json", import.meta.url), "utf8"))),
).flat();
const MOST_ROUNDS = 6;
const SOUND = { patches: [], rounds: 1 };
const FAULTY_DAY = [
  { patches: [], rounds: 4 },
  ...ROWS.flatMap(({ patches, rounds }) => [{ patches, rounds: Math.min(MOST_ROUNDS, rounds) }, SOUND]),
];

describe("a replayed day", () => {
  it("in which every provider is wrong in turn is served as an independent computation from the same answers has it, figure by figure", async () => {
    const { db, rounds, tokens } = await replayDay(FAULTY_DAY);
    await using _ = db;
    const served = await servedOf(db, tokens, rounds.at(-1)!.at);
    const { compared, differing } = compare(served, expectedOf(rounds, tokens));
    expect(differing.slice(0, 20), `${differing.length} of ${compared}`).to.deep.equal([]);
    expect(compared).to.be.above(10_000);
  }).timeout(300_000);
});
