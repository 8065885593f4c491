/** The same samples in another order are the same series. */
import { expect } from "chai";
import type { Database } from "../../../database/open.ts";
import { recordBases } from "../../../market/series/basis.ts";
import { recordImpacts } from "../../../market/series/impacts.ts";
import { writeScores } from "../../../market/series/liquidity.ts";
import { recordPremiums } from "../../../market/series/premium.ts";
import { closeDays, recordVolumes } from "../../../market/series/totals.ts";
import { forEachEngine } from "../../support/database.ts";
import { FIRST_ROUND, marketRound, ROUNDS_A_DAY, recordRound, storedMarket, TOKENS } from "./marketRounds.ts";

const DAY_END = FIRST_ROUND + 86_400;
const ROUNDS = Array.from({ length: ROUNDS_A_DAY }, (_, number) => marketRound(number));
const REPEATED = 17;
/** Of the morning, and told of in the evening only. */
const LATE = 100;

/** Prime to the number of samples of each kind. */
const STEP = 199;

/** Every so many-th, until all had their turn: far from any order of time. */
const scattered = <T>(list: readonly T[]): T[] =>
  list.map((_, index) => list[(index * STEP) % list.length] as T);

const lotsOf = <T>(list: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, lot) => list.slice(lot * size, (lot + 1) * size));

/** A day's samples in lots of a few, each lot from all over the day; then a round again, and the late one. */
async function recordScattered(db: Database): Promise<void> {
  const now = DAY_END - 60;
  const some = ROUNDS.filter((_, number) => number !== LATE);
  const premiums = scattered(some.flatMap((round) => round.premiums));
  const bases = scattered(some.flatMap((round) => round.bases));
  const volumes = scattered(some.flatMap((round) => round.volumes));
  const impacts = scattered(some.flatMap((round) => round.impacts));
  for (const lot of lotsOf(premiums, 7)) await recordPremiums(db, lot, now);
  for (const lot of lotsOf(bases, 5)) await recordBases(db, lot, now);
  for (const lot of lotsOf(volumes, 11)) await recordVolumes(db, lot, now);
  for (const lot of lotsOf(impacts, 50)) await recordImpacts(db, lot, now);
  for (const round of [ROUNDS[REPEATED]!, ROUNDS[LATE]!]) {
    await recordPremiums(db, round.premiums, now);
    await recordBases(db, round.bases, now);
    await recordVolumes(db, round.volumes, now);
    await recordImpacts(db, round.impacts, now);
  }
}

/** The first round of the next day comes to the totals. */
async function endDay(db: Database): Promise<void> {
  await closeDays(db, TOKENS, DAY_END);
  await writeScores(
    db,
    TOKENS.map(({ assetKey }) => assetKey),
    DAY_END,
  );
}

describe("a day of rounds", function () {
  this.timeout(120_000);

  forEachEngine((engine) => {
    it("a day of rounds comes to the same series in any order, with a round repeated and one that comes late", async () => {
      const [inOrder, other] = [await engine.create(), await engine.create()];
      for (const round of ROUNDS) await recordRound(inOrder, round);
      await endDay(inOrder);
      await recordScattered(other);
      await endDay(other);
      const stored = await storedMarket(inOrder);
      expect(stored.hours).to.have.length(5 * 24);
      expect(stored.samples).to.have.length(5 * ROUNDS_A_DAY);
      expect(stored.totals).to.have.length(5);
      expect(stored.scores?.every((score) => score.includes('["sample_n",288]'))).to.equal(true);
      expect(await storedMarket(other)).to.deep.equal(stored);
    });
  });
});
