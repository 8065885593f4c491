import { expect } from "chai";
import fc from "fast-check";
import { toHex } from "../../../attestor/evm/hash.ts";
import { HASHER } from "../../../attestor/log/hasher.ts";
import { isIncluded } from "../../../attestor/log/merkle.ts";
import { pathOf } from "../../../attestor/points/hourTree.ts";
import { POINT_SCHEMA, pointText } from "../../../attestor/points/point.ts";
import { utf8 } from "../../../attestor/values/bytes.ts";
import type { Database } from "../../../database/open.ts";
import { recompute, retract } from "../../../market/collect/repair.ts";
import { premiumPoints } from "../../../market/queries.ts";
import { recordBases } from "../../../market/series/basis.ts";
import { listRevisions, statedHours } from "../../../market/series/points.ts";
import { closedTree, type HourRoot } from "../../../market/series/pointTrees.ts";
import type { PremiumSample } from "../../../market/series/premium.ts";
import { sealHours } from "../../../market/series/sealing.ts";
import { forEachEngine } from "../../support/database.ts";
import { basisSample, premiumSample, premiumsAt } from "../../support/samples.ts";

const HOUR = 3_600;
/** The start of an hour. */
const START = 1_795_003_200;
const ASSET = "eip155:1:0xA";
const SERIES = `premium/${ASSET}`;
const ALL = { from: 0, to: START + 1_000 * HOUR };

describe("sealing", () => {
  forEachEngine((engine) => {
    let db: Database;
    let entries: HourRoot[];
    beforeEach(async () => {
      db = await engine.create();
      entries = [];
    });
    afterEach(() => db.destroy());

    const sealAt = (seconds: number) =>
      sealHours({
        db,
        now: () => seconds * 1_000,
        addEntry: async (_transaction, root) => void entries.push(root),
      });
    const premium = (at: number, more: Partial<PremiumSample> = {}) =>
      premiumsAt(db, START + 1_000 * HOUR, [premiumSample(ASSET, at, more)]);
    const revisions = async () =>
      (await premiumPoints(db, ASSET, ALL)).map(({ hour, revision, changedAt }) => ({
        hour: (hour - START) / HOUR,
        revision,
        changedAt,
      }));
    const retractHour = (at: number) =>
      retract(
        { db, assets: [], now: () => (START + 999 * HOUR) * 1_000 },
        { series: SERIES, from: at, to: at + HOUR, reason: "test", actor: "test" },
      );

    it("gives an hour its first revision five minutes after its end, and leaves the running hour open", async () => {
      await premium(START + 60);
      await premium(START + HOUR + 60);
      expect(await sealAt(START + HOUR + 299)).to.equal(0);
      expect(await revisions()).to.deep.equal([
        { hour: 0, revision: null, changedAt: null },
        { hour: 1, revision: null, changedAt: null },
      ]);
      expect(await sealAt(START + HOUR + 300)).to.equal(1);
      expect(await sealAt(START + HOUR + 400)).to.equal(0);
      expect(await revisions()).to.deep.equal([
        { hour: 0, revision: 1, changedAt: START + HOUR + 300 },
        { hour: 1, revision: null, changedAt: null },
      ]);
      expect(await listRevisions(db, { limit: 10 })).to.deep.equal([]);
    });

    it("writes another revision of an hour that changes, and none of one that comes to the same", async () => {
      await premium(START + 60);
      await sealAt(START + HOUR + 300);
      // The same sample again changes nothing.
      await premium(START + 60);
      expect((await revisions())[0]?.revision).to.equal(1);
      await premium(START + 120, { tokenPriceUsd: "102" });
      expect((await revisions())[0]).to.deep.equal({ hour: 0, revision: null, changedAt: null });
      expect(await sealAt(START + HOUR + 600)).to.equal(1);
      expect((await revisions())[0]).to.deep.equal({ hour: 0, revision: 2, changedAt: START + HOUR + 600 });
      await recompute(
        { db, assets: [], now: () => (START + HOUR + 700) * 1_000 },
        { series: "premium", from: START, to: START + HOUR },
      );
      expect(await sealAt(START + HOUR + 800)).to.equal(0);
      expect((await revisions())[0]).to.deep.equal({ hour: 0, revision: 2, changedAt: START + HOUR + 600 });
      const [change, ...others] = await listRevisions(db, { limit: 10 });
      expect(others).to.deep.equal([]);
      expect(change).to.deep.include({ series: SERIES, hour: START, revision: 2, change: "recomputed" });
      expect([change?.before?.said.closeBps, change?.after?.said.closeBps]).to.deep.equal(["100", "200"]);
    });

    it("retracts an hour that is retracted, and says what stood there", async () => {
      await premium(START + 60);
      await sealAt(START + HOUR + 300);
      await retractHour(START);
      expect(await sealAt(START + HOUR + 600)).to.equal(1);
      expect(await sealAt(START + HOUR + 700)).to.equal(0);
      expect(await revisions()).to.deep.equal([]);
      const [change] = await listRevisions(db, { limit: 10 });
      expect(change).to.deep.include({ revision: 2, change: "retracted", after: null });
      expect(change?.before?.said.closeBps).to.equal("100");
    });

    it("calls an hour late that is written after the hour behind it", async () => {
      await premium(START + 60);
      await sealAt(START + 5 * HOUR);
      const [change] = await listRevisions(db, { limit: 10 });
      expect(change).to.deep.include({ revision: 1, change: "late", before: null });
      await premium(START - 3 * HOUR);
      expect(await sealAt(START + 5 * HOUR + 60)).to.equal(1);
      expect((await listRevisions(db, { limit: 10 })).map(({ hour }) => hour)).to.deep.equal([
        START,
        START - 3 * HOUR,
      ]);
    });

    it("pages through revisions without losing or repeating one, by series and by time", async () => {
      for (let hour = 0; hour < 7; hour++) await premium(START + hour * HOUR);
      await recordBases(db, [basisSample("AAPL", START)], START + HOUR);
      await sealAt(START + 50 * HOUR);
      const seen: string[] = [];
      for (let after: readonly [number, number] | undefined; ; ) {
        const page = await listRevisions(db, { after, limit: 3 });
        seen.push(...page.map(({ series, hour }) => `${series} ${hour}`));
        after = page.at(-1)?.place;
        if (page.length < 3) break;
      }
      expect(new Set(seen).size).to.equal(8);
      expect(seen).to.have.length(8);
      expect(await listRevisions(db, { series: ["basis/test/AAPL"], limit: 10 })).to.have.length(1);
      expect(await listRevisions(db, { series: [], limit: 10 })).to.deep.equal([]);
      expect(await listRevisions(db, { to: START + 50 * HOUR, limit: 10 })).to.deep.equal([]);
    });

    it("keeps with a point what its close was computed from, also when the samples are gone", async () => {
      const stated = [["price", "dex", "101", 3, 1]] as const;
      await premium(START + 60, { inputs: stated.map((one) => [...one]) });
      await recordBases(db, [basisSample("AAPL", START + 60)], START + HOUR);
      const ofBoth = async () => [
        ...(await statedHours(db, SERIES, ALL)),
        ...(await statedHours(db, "basis/test/AAPL", ALL)),
      ];
      const open = await ofBoth();
      expect(open.map(({ sealed }) => sealed)).to.deep.equal([null, null]);
      await sealAt(START + HOUR + 300);
      await db.deleteFrom("raw_samples").execute();
      const sealed = await ofBoth();
      expect(sealed.map(({ said }) => said)).to.deep.equal(open.map(({ said }) => said));
      expect(sealed[0]?.said.inputs).to.deep.equal({
        ...{ tokenPriceUsd: "101", sharesPerToken: "1", referencePriceUsd: "100" },
        ...{ impact1kBps: "4.5", platformFeeBps: "10", stated },
      });
      expect(sealed[1]?.said.inputs).to.deep.include({ perpMarkUsd: "101", spotUsd: "100" });
    });

    it("puts the root of each hour into the log once, when the hour is over, and every revision is a leaf of it", async () => {
      const count = 600;
      await premiumsAt(
        db,
        START + 1_000 * HOUR,
        Array.from({ length: count }, (_, token) => premiumSample(`test:${token}`, START + 60)),
      );
      const written = START + HOUR + 300;
      expect(await sealAt(written)).to.equal(count);
      await premium(START + 90);
      expect(await sealAt(written + 60)).to.equal(1);
      expect(entries).to.deep.equal([]);
      await sealAt(START + 2 * HOUR);
      await sealAt(START + 3 * HOUR);
      expect(entries.map(({ hour, count: leaves }) => [hour, leaves])).to.deep.equal([
        [START + HOUR, count + 1],
      ]);
      const rows = await db
        .selectFrom("points")
        .innerJoin("series", "series.id", "points.series_id")
        .select(["name", "position"])
        .orderBy("position")
        .execute();
      expect(rows.map(({ position }) => position)).to.deep.equal(rows.map((_, index) => index));
      for (const { name, position } of [rows[0]!, rows[255]!, rows[256]!, rows[count]!]) {
        const [point] = await statedHours(db, name, ALL);
        const { revision, changedAt } = point!.sealed!;
        const leaf = pointText({
          ...{ schema: POINT_SCHEMA, series: name, t: START, revision, changedAt },
          hour: point!.said,
        });
        const tree = (await closedTree(db, START / HOUR + 1, [position]))!;
        const proof = await pathOf(position, tree.tiles.get(Math.floor(position / 256))!, tree.roots);
        const leafHash = HASHER.leaf(utf8(leaf));
        const root = Uint8Array.from(Buffer.from(entries[0]!.root.slice(2), "hex"));
        expect(toHex(root)).to.equal(tree.root);
        expect(isIncluded({ index: position, size: tree.count, leafHash, proof, root })).to.equal(true);
      }
    });

    it("writes nothing into an hour whose tree is closed, when a clock goes back", async () => {
      await premium(START + 60);
      await sealAt(START + HOUR + 300);
      await sealAt(START + 2 * HOUR);
      await premium(START + 90, { tokenPriceUsd: "103" });
      expect(await sealAt(START + 2 * HOUR - 1)).to.equal(0);
      expect(await sealAt(START + 2 * HOUR)).to.equal(1);
    });

    it("writes nothing where its entry cannot be written", async () => {
      await premium(START + 60);
      await sealAt(START + HOUR + 300);
      const failing = sealHours({
        db,
        now: () => (START + 2 * HOUR) * 1_000,
        addEntry: () => Promise.reject(new Error("no")),
      });
      expect(await failing.catch((error: Error) => error.message)).to.equal("no");
      expect(await closedTree(db, START / HOUR + 1, [0])).to.equal(null);
      await sealAt(START + 2 * HOUR);
      expect(entries).to.have.length(1);
    });

    it("comes to the same content for any order of samples, retractions and rounds", async function () {
      this.timeout(120_000);
      const samples = fc.array(
        fc.record({
          at: fc.integer({ min: 0, max: 3 * HOUR }),
          price: fc.constantFrom("100", "101", "102.5"),
          source: fc.constantFrom("a", "b"),
        }),
        { minLength: 1, maxLength: 8 },
      );
      await fc.assert(
        fc.asyncProperty(samples, fc.array(fc.boolean()), async (given, rounds) => {
          await empty(db);
          for (const [index, { at, price, source }] of given.entries()) {
            await premium(START + at, { tokenPriceUsd: price, source });
            if (rounds[index] === true) await sealAt(START + 5 * HOUR + index);
          }
          await sealAt(START + 5 * HOUR + 100);
          const stepwise = await statedHours(db, SERIES, ALL);
          expect(stepwise.every(({ sealed }) => sealed !== null)).to.equal(true);
          await empty(db);
          await premiumsAt(
            db,
            START + 1_000 * HOUR,
            [...given]
              .reverse()
              .map(({ at, price, source }) =>
                premiumSample(ASSET, START + at, { tokenPriceUsd: price, source }),
              ),
          );
          await sealAt(START + 5 * HOUR);
          const atOnce = await statedHours(db, SERIES, ALL);
          expect(stepwise.map(({ said }) => said)).to.deep.equal(atOnce.map(({ said }) => said));
        }),
        { numRuns: engine.name === "postgres" ? 10 : 40 },
      );
    });
  });
});

async function empty(db: Database): Promise<void> {
  for (const table of [
    ...(["points", "point_hours", "point_tiles", "changed_hours", "hour_buckets", "raw_samples"] as const),
    ...(["latest", "rejected_samples"] as const),
  ])
    await db.deleteFrom(table).execute();
  await db.updateTable("market_state").set({ value: 0 }).where("name", "=", "sealed_before").execute();
}
