/** Collectors and repairs that are killed at any step: on both engines nothing is lost, and nothing stands twice. */
import { execFile } from "node:child_process";
import { expect } from "chai";
import type { Database } from "../../../database/open.ts";
import { recompute, retract } from "../../../market/collect/repair.ts";
import { forEachEngine, onDatabase } from "../../support/database.ts";
import {
  COLLECTED_UNTIL,
  marketRound,
  recordRound,
  storedMarket,
  TOKENS,
} from "../../support/marketRounds.ts";

/** The last of a day, and the first of the next. */
const ROUNDS = [284, 285, 286, 287, 288];
const HOUR = 3_600;
const SERIES = `premium/${TOKENS[0].assetKey}`;
const NEWEST = marketRound(288).premiums[0]!.sampledAt;

/** After the n-th statement with a text, with so many rounds told of before. */
const IN_A_ROUND: readonly (readonly [text: string, nth: number, told: number])[] = [
  ["insert into raw_samples", 3, 1],
  ["insert into hour_buckets", 3, 1],
  ["update series", 3, 1],
  ["update series", 4, 1],
  ["insert into volume_days", 2, 1],
  ["insert into impact_samples", 2, 1],
  ["insert into liquidity_scores", 2, 1],
  ['delete from "daily_totals"', 1, 4],
  ['insert into "daily_totals"', 1, 4],
];

const REPAIRS = {
  retract: {
    span: { series: SERIES, from: NEWEST, to: NEWEST + 1 },
    steps: [
      'insert into "retractions"',
      'delete from "raw_samples"',
      'delete from "hour_buckets"',
      'update "series"',
    ],
  },
  recompute: {
    span: { series: SERIES, from: NEWEST - 2 * HOUR, to: NEWEST },
    steps: ['delete from "hour_buckets"', "insert into hour_buckets", "update series"],
  },
} as const;

/** @returns what it said until it was killed */
function killed(...args: readonly (string | number)[]): Promise<string> {
  const script = new URL("../../support/keepCollecting.ts", import.meta.url).pathname;
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [script, ...args.map(String)], (error, stdout, stderr) =>
      error?.signal === "SIGKILL" ? resolve(stdout) : reject(new Error(`it was not killed: ${stderr}`)),
    );
  });
}

const repairOf = (db: Database) => ({ db, assets: TOKENS, now: () => COLLECTED_UNTIL * 1_000 });

async function recordAll(db: Database): Promise<void> {
  for (const number of ROUNDS) await recordRound(db, marketRound(number));
}

describe("a market that is killed", function () {
  this.timeout(180_000);

  forEachEngine((engine) => {
    it("a market that is killed in a round has each kind of its samples whole or not at all, and is the same once it goes on", async () => {
      const undisturbed = await onDatabase(await engine.createUrl(), async (db) => {
        await recordAll(db);
        return storedMarket(db);
      });
      for (const [text, nth, told] of IN_A_ROUND) {
        const url = await engine.createUrl();
        const said = await killed(url, "rounds", ROUNDS[0]!, ROUNDS.length, text, nth);
        expect(said.match(/\d+/g), text).to.deep.equal(ROUNDS.slice(0, told).map(String));
        await onDatabase(url, async (db) => {
          const left = await storedMarket(db);
          for (const [kind, each] of [
            ["premium", 3],
            ["basis", 2],
          ] as const) {
            const samples = left.samples!.filter((sample) => sample.includes(`${kind}/`)).length;
            expect([told * each, (told + 1) * each], text).to.include(samples);
            await recompute(repairOf(db), { series: kind, from: 0, to: COLLECTED_UNTIL });
          }
          expect(await storedMarket(db), text).to.deep.equal(left);
          await recordAll(db);
          expect(await storedMarket(db), text).to.deep.equal(undisturbed);
        });
      }
    });

    it("a market that is killed in a repair is as it was, and the repair may be repeated", async () => {
      for (const [work, { span, steps }] of Object.entries(REPAIRS))
        for (const text of steps) {
          const url = await engine.createUrl();
          await onDatabase(url, async (db) => {
            await recordAll(db);
            const before = await storedMarket(db);
            await killed(url, work, span.series, span.from, span.to, text);
            expect(await storedMarket(db), text).to.deep.equal(before);
            if (work === "recompute") {
              await recompute(repairOf(db), span);
              expect(await storedMarket(db), text).to.deep.equal(before);
              return;
            }
            await retract(repairOf(db), { ...span, reason: "wrong", actor: "test" });
            const after = await storedMarket(db);
            expect([after.samples!.length, after.retracted!.length]).to.deep.equal([
              before.samples!.length - 1,
              1,
            ]);
            await recordAll(db);
            expect(await storedMarket(db), text).to.deep.equal(after);
          });
        }
    });
  });
});
