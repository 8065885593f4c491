import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import type { Database } from "../../database/open.ts";
import { type CollectDeps, collectOnce, startCollector } from "../../market/collect.ts";
import { liquidityOf } from "../../market/liquidity.ts";
import { backfillImpacts, hasHistory } from "../../market/simulated.ts";
import { forEachEngine, memoryDatabase } from "../support/database.ts";

const NOW_MS = 1_795_000_000_999;
const NOW = 1_795_000_000;

function deps(db: Database, more: Partial<CollectDeps> = {}): CollectDeps & { logged: object[] } {
  const logged: object[] = [];
  return {
    db,
    assetKeys: ["a", "b", "c"],
    source: "test",
    impactOf: async (_, usd) => String(usd / 1_000),
    sessionAt: () => "regular",
    now: () => NOW_MS,
    log: { error: (fields) => logged.push(fields) },
    logged,
    ...more,
  };
}

/** mulberry32: small, seeded, good enough to scatter test data. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

describe("the collector", () => {
  let db: Database;
  beforeEach(async () => {
    db = await memoryDatabase();
  });
  afterEach(() => db.destroy());

  it("records one sample of each asset at both sizes, with source, session and time", async () => {
    expect(await collectOnce(deps(db))).to.deep.equal({ recorded: 3, failed: [] });
    expect(
      await db.selectFrom("impact_samples").selectAll().where("asset_key", "=", "b").execute(),
    ).to.deep.equal([
      {
        asset_key: "b",
        sampled_at: NOW,
        source: "test",
        session: "regular",
        impact_1k_bps: "1",
        impact_10k_bps: "10",
      },
    ]);
  });

  it("logs an asset that fails and goes on with the rest; a failure is not a missing route", async () => {
    const given = deps(db, {
      impactOf: async (assetKey) => {
        if (assetKey === "a") throw new Error("no answer");
        return assetKey === "b" ? null : "1";
      },
    });
    expect(await collectOnce(given)).to.deep.equal({ recorded: 2, failed: ["a"] });
    expect(given.logged).to.have.length(1);
    expect((await liquidityOf(db, "a", NOW)).sampleN).to.equal(0);
    expect(await liquidityOf(db, "b", NOW)).to.include({ sampleN: 1, impact1kBps: null });
  });

  it("runs on its schedule without overlap, and stops after the running round", async () => {
    let [running, most, rounds] = [0, 0, 0];
    const collector = startCollector(
      deps(db, {
        assetKeys: ["a"],
        impactOf: async () => {
          most = Math.max(most, ++running);
          await sleep(650);
          running--;
          rounds++;
          return "1";
        },
      }),
      "* * * * * *",
    );
    while (rounds < 2) await sleep(20);
    while (running === 0) await sleep(20);
    await collector.stop();
    expect(most).to.equal(1);
    expect(running).to.equal(0);
    const ended = rounds;
    await sleep(1_300);
    expect(rounds).to.equal(ended);
  });
});

describe("the simulated history", () => {
  forEachEngine((engine) => {
    const measured = [
      { assetKey: "deep", impact1kBps: "1.5", impact10kBps: "14.25" },
      { assetKey: "none", impact1kBps: null, impact10kBps: null },
    ];
    const run = (db: Database, now = NOW, seed = 7) =>
      backfillImpacts({ db, measured, now, random: seeded(seed), sessionAt: () => "regular" });

    it("fills 90 days of hours around today's figures, once", async () => {
      const db = await engine.create();
      expect(await run(db)).to.deep.equal(["deep", "none"]);
      const rows = await db.selectFrom("impact_samples").selectAll().orderBy("sampled_at").execute();
      expect(rows).to.have.length(2 * 2_160);
      expect(
        rows.every(({ source, sampled_at }) => source === "simulated" && sampled_at % 3_600 === 0),
      ).to.equal(true);
      expect(rows.at(-1)?.sampled_at).to.be.within(NOW - 3_600, NOW);
      expect(rows[0]?.sampled_at).to.equal((rows.at(-1)?.sampled_at ?? 0) - 2_159 * 3_600);
      const deep = await liquidityOf(db, "deep", NOW);
      expect(deep).to.include({ grade: "A", sampleN: 168, source: "simulated" });
      expect(Number(deep.impact10kBps)).to.be.within(14.25 * 0.6, 14.25 * 1.4);
      expect(await liquidityOf(db, "none", NOW)).to.include({ grade: "D", sampleN: 168, impact1kBps: null });

      expect(await hasHistory(db, "deep", NOW)).to.equal(true);
      expect(await run(db, NOW + 30 * 86_400, 8)).to.deep.equal([]);
      expect(
        await db.selectFrom("impact_samples").selectAll().orderBy("sampled_at").execute(),
      ).to.have.length(4_320);
    });

    it("is the same from the same seed, and fills beside samples that were collected just now", async () => {
      const [one, other] = [await engine.create(), await engine.create()];
      await run(one);
      await collectOnce(
        deps(other, { assetKeys: ["deep"], source: "simulated", impactOf: async () => "14.25" }),
      );
      expect(await hasHistory(other, "deep", NOW)).to.equal(false);
      expect(await run(other)).to.deep.equal(["deep", "none"]);
      const history = (db: Database) =>
        db
          .selectFrom("impact_samples")
          .selectAll()
          .where("sampled_at", "<", NOW - 3_600)
          .orderBy("asset_key")
          .orderBy("sampled_at")
          .execute();
      expect(await history(other)).to.deep.equal(await history(one));
    });
  });
});
