/**
 * Providers that are wrong, one row of `faults.json` each: what is served, what is true, the figure's state and the
 * alerts. Rounds follow each other in a world whose prices move; a figure that is agreed on and wrong fails any row.
 */
import { readFileSync } from "node:fs";
import { expect } from "chai";
import { z } from "zod";
import type { Database } from "../../../database/open.ts";
import { collectRound } from "../../../market/collect/collect.ts";
import { createMemory } from "../../../market/collect/round.ts";
import { basisPoints, liquidityScores, liveTotals, premiumPoints } from "../../../market/queries.ts";
import { memoryDatabase } from "../../support/database.ts";
import { Patch, patching } from "../../support/providers/patches.ts";
import { replayCollector, startReplay } from "../../support/providers/replay.ts";
import { REPLAY_NOW, replayWorld } from "../../support/providers/replayWorld.ts";

const Value = z.union([z.number(), z.string(), z.null()]);
const Row = z.strictObject({
  fault: z.string(),
  patches: z.array(Patch),
  /** What providers say is so, and the figures of a world without it are no measure. */
  isTrue: z.literal(true).optional(),
  /** In which the fault lasts. */
  rounds: z.int().default(2),
  session: z.string().default("regular"),
  figures: z.record(z.string(), z.strictObject({ served: Value, true: Value, state: z.string().nullable() })),
  /** `<kind> <subject> <state>` of a figure, listing or provider, `<kind> <reason>` of what was excluded, or a word of the log. */
  told: z.array(z.string()),
});
type Row = z.infer<typeof Row>;
const ROWS = z
  .record(z.string(), z.array(Row))
  .parse(JSON.parse(readFileSync(new URL("faults.json", import.meta.url), "utf8")));

const TICKERS = ["AAPL", "TSLA"];
const VENUES = ["hyperliquid", "binance"];
const ALL = { from: 0, to: REPLAY_NOW * 2 };
/** Impacts are graded from the third sample on. */
const SOUND_ROUNDS = 3;

interface Served {
  readonly value: number | string | null;
  readonly state: string | null;
  readonly spread: number;
}
type Figures = ReadonlyMap<string, Served>;

async function figuresOf(db: Database, keys: readonly string[], now: number): Promise<Figures> {
  const figures = new Map<string, Served>();
  const note = (name: string, value: string | null, state: string | null, spread: string | null = null) =>
    figures.set(name, { value: value === null ? null : Number(value), state, spread: Number(spread) });
  for (const key of keys)
    for (const { premiumBps, state, spreadBps, halted } of (await premiumPoints(db, key, ALL)).slice(-1)) {
      note(`premium ${key}`, premiumBps, state, spreadBps);
      note(`halted ${key}`, String(Number(halted)), null);
    }
  for (const ticker of TICKERS)
    for (const venue of VENUES)
      for (const point of (await basisPoints(db, ticker, ALL, venue)).slice(-1)) {
        note(`basis ${venue}/${ticker}`, point.basisBps, point.state, point.spreadBps);
        note(`funding ${venue}/${ticker}`, point.fundingAnnualBps, point.fundingState);
      }
  for (const { assetKey, grade } of await liquidityScores(db, keys, now))
    figures.set(`grade ${assetKey}`, { value: grade, state: null, spread: 0 });
  const { volume24hUsd, liquidityUsd, tokensWithDexData, expected } = await liveTotals(db, now);
  const state = tokensWithDexData === expected ? "complete" : "incomplete";
  note("volume", volume24hUsd, state);
  note("liquidity", liquidityUsd, state);
  return figures;
}

/** @returns the figures after each round, and all alerts and log lines */
async function played({ patches, rounds, session }: Pick<Row, "patches" | "rounds" | "session">) {
  await using db = await memoryDatabase();
  const world = replayWorld(TICKERS);
  await using replay = await startReplay(world);
  const told = new Set<string>();
  const log = (fields: object, message: string) => told.add(`log: ${message} ${JSON.stringify(fields)}`);
  const deps = replayCollector(replay, db, { sessionAt: () => session, log: { warn: log, error: log } });
  const memory = createMemory();
  const keys = world.tokens.map(({ assetKey }) => assetKey);
  const after: Figures[] = [];
  for (let round = 0; round < SOUND_ROUNDS + rounds; round++) {
    if (round === SOUND_ROUNDS) world.rewrite = patching(patches, () => world.now);
    // Funding paid in earlier hours is compared with the current one.
    world.now += round < SOUND_ROUNDS ? 3_600 : 300;
    await collectRound(deps, memory);
    after.push(await figuresOf(db, keys, world.now));
  }
  for (const { kind, subject, state } of await db.selectFrom("market_figures").selectAll().execute())
    told.add(`${kind} ${subject} ${state}`);
  for (const { kind, reason } of await db.selectFrom("rejected_samples").selectAll().execute())
    told.add(`${kind} ${reason}`);
  return { after, told: [...told] };
}

/** Beside what the sources that agree are apart: one source less moves a median. */
const SLACK_BPS = 1;

/** Figures that are agreed on, and further from the truth than their sources from each other; totals that say they are complete. */
function wrongOf(served: Figures, sound: Figures, row: Pick<Row, "figures">): string[] {
  return [...served].flatMap(([name, { value, state, spread }]) => {
    // Of totals the row says itself what an index alone cannot tell.
    if (state !== "agreed" && (state !== "complete" || name in row.figures)) return [];
    const off = Math.abs(Number(value) - Number(sound.get(name)?.value));
    return off <= (state === "agreed" ? spread + SLACK_BPS : 0) ? [] : [`${name}: ${value}, off by ${off}`];
  });
}

describe("a market with a provider that is wrong", function () {
  this.timeout(240_000);
  let sound: readonly Figures[];
  before(async () => {
    const rounds = Math.max(...Object.values(ROWS).flatMap((rows) => rows.map((row) => row.rounds)));
    ({ after: sound } = await played({ patches: [], rounds, session: "regular" }));
  });

  it("a market in which nobody is wrong serves every figure as agreed, and tells nobody of anything", async () => {
    const { after, told } = await played({ patches: [], rounds: 1, session: "regular" });
    const levels = [...(after.at(-1) ?? [])].filter(([name]) => /^(premium|basis)/.test(name));
    expect(levels.map(([, { state }]) => state)).to.deep.equal(Array(10).fill("agreed"));
    expect(told.filter((line) => !/ (agreed|listed|counts)$/.test(line))).to.deep.equal([]);
  });

  for (const [source, rows] of Object.entries(ROWS))
    for (const row of rows)
      it(`${source}: ${row.fault}`, async () => {
        const { after, told } = await played(row);
        const rounded = (value: number | string | null | undefined) =>
          typeof value === "number" ? Math.round(value * 10) / 10 + 0 : value;
        const at = (figures: Figures | undefined, name: string) => rounded(figures?.get(name)?.value);
        for (const [name, { served, true: truth, state }] of Object.entries(row.figures)) {
          if (!row.isTrue)
            expect(at(sound[SOUND_ROUNDS + row.rounds - 1], name), `${name}, true`).to.equal(truth);
          expect([at(after.at(-1), name), after.at(-1)?.get(name)?.state], name).to.deep.equal([
            served,
            state,
          ]);
        }
        const untold = row.told.filter((word) => !told.some((line) => line.includes(word)));
        expect(untold, told.join("\n")).to.deep.equal([]);
        for (const [round, figures] of after.entries())
          expect(wrongOf(figures, sound[round]!, row), `round ${round}`).to.deep.equal([]);
      });
});
