/** Collectors and repairs that are killed at any step: on both engines nothing is lost, and nothing stands twice. */
import { once } from "node:events";
import { text as textOf } from "node:stream/consumers";
import { expect } from "chai";
import type { Database } from "../../../database/open.ts";
import { recompute, retract } from "../../../market/collect/repair.ts";
import { forEachEngine, onDatabase } from "../../support/database.ts";
import { startFunction } from "../../support/programs.ts";
import { COLLECTED_UNTIL, marketRound, recordRound, storedMarket, TOKENS } from "./marketRounds.ts";

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

const REPAIRS = [
  {
    repair: "retract",
    span: { series: SERIES, from: NEWEST, to: NEWEST + 1 },
    steps: [
      'insert into "retractions"',
      'delete from "raw_samples"',
      'delete from "hour_buckets"',
      'update "series"',
    ],
  },
  {
    repair: "recompute",
    span: { series: SERIES, from: NEWEST - 2 * HOUR, to: NEWEST },
    steps: ['delete from "hour_buckets"', "insert into hour_buckets", "update series"],
  },
] as const;

/** What a process does until it kills itself. */
interface Work {
  readonly url: string;
  /** Rounds to record, each of which it says; or a repair. */
  readonly task: readonly number[] | { readonly repair: "retract" | "recompute"; readonly span: Span };
  /** It dies right after the n-th statement that contains the text, or once its work is done. */
  readonly text: string;
  readonly nth: number;
}
type Span = { readonly series: string; readonly from: number; readonly to: number };

async function workAndDie({ url, task, text, nth }: Work): Promise<void> {
  const { openDatabase } = await import("../../../database/open.ts");
  const { recompute, retract } = await import("../../../market/collect/repair.ts");
  const { COLLECTED_UNTIL, marketRound, recordRound, TOKENS } = await import("./marketRounds.ts");
  const die = () => process.kill(process.pid, "SIGKILL");
  let seen = 0;
  const db = openDatabase(url, {
    onQuery({ sql }) {
      if (sql.includes(text) && ++seen === nth) die();
    },
  });
  const deps = { db, assets: TOKENS, now: () => COLLECTED_UNTIL * 1_000 };
  if ("repair" in task) {
    if (task.repair === "retract") await retract(deps, { ...task.span, reason: "wrong", actor: "test" });
    else await recompute(deps, task.span);
  } else
    for (const round of task) {
      await recordRound(db, marketRound(round));
      process.stdout.write(`${round}\n`);
    }
  die();
}

/** @returns what it said until it was killed */
async function killed(work: Work): Promise<string> {
  const child = startFunction(import.meta.dirname, workAndDie, work);
  const [said, [, signal]] = await Promise.all([textOf(child.stdout!), once(child, "exit")]);
  expect(signal).to.equal("SIGKILL");
  return said;
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
        const said = await killed({ url, task: ROUNDS, text, nth });
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
      for (const { repair, span, steps } of REPAIRS)
        for (const text of steps) {
          const url = await engine.createUrl();
          await onDatabase(url, async (db) => {
            await recordAll(db);
            const before = await storedMarket(db);
            await killed({ url, task: { repair, span }, text, nth: 1 });
            expect(await storedMarket(db), text).to.deep.equal(before);
            if (repair === "recompute") {
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
