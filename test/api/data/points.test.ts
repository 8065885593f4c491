/** What points were computed from, the proofs that they were signed, and how they were revised, over HTTP. */
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { Decimal } from "decimal.js";
import { sql } from "kysely";
import { addPointsEntry } from "../../../api/log/entries.ts";
import { developmentLogSigner } from "../../../api/log/key.ts";
import { yearOf } from "../../../api/log/shards.ts";
import { verifyPoint } from "../../../attestor/points/pointProof.ts";
import type { Database } from "../../../database/open.ts";
import { retract } from "../../../market/collect/repair.ts";
import { recordBases } from "../../../market/series/basis.ts";
import { sealHours } from "../../../market/series/sealing.ts";
import { forAlikeEngines } from "../../support/database.ts";
import { debianProgram } from "../../support/debian.ts";
import { dataApp } from "../../support/http.ts";
import { openLog, TEST_BASE } from "../../support/log.ts";
import { basisSample, listedToken, premiumSample, premiumsAt } from "../../support/samples.ts";
import { testFolder } from "../../support/suite.ts";
import { until } from "../../support/until.ts";

const HOUR = 3_600;
/** 20 minutes into an hour, in this year: the log's key is the year's. */
const NOW = Math.floor(Date.now() / 1_000 / HOUR) * HOUR - HOUR + 20 * 60;
const START = NOW - (NOW % HOUR);
const HOURS = 90 * 24;
const iso = (seconds: number) => new Date(seconds * 1_000).toISOString();
const ASSETS = ["AAPL", "TSLA", "NVDA"].map((ticker) => listedToken(ticker));
const [APPLE] = ASSETS as [ReturnType<typeof listedToken>];
const SHARES = "1.005714285714285714";

const SEEN: ["price", string, string, number | null, 0 | 1][] = [
  ["price", "dex", "101.25", 3, 1],
  ["price", "late", "150", null, 0],
];
const priceOf = (index: number) =>
  `${100 + (index % 37) / 16}.000000000000000${index % 10}`.replace(/(\.\d+)\.0+/, "$1");

async function seed(db: Database): Promise<void> {
  for (const { assetKey } of ASSETS)
    await premiumsAt(
      db,
      NOW,
      Array.from({ length: assetKey === APPLE.assetKey ? HOURS : 40 }, (_, back) =>
        premiumSample(assetKey, START - back * HOUR + 60, {
          tokenPriceUsd: priceOf(back),
          sharesPerToken: SHARES,
          referencePriceUsd: back % 11 === 5 ? null : "99.875",
          impact1kBps: back % 7 === 3 ? null : "4.1234567",
          inputs: SEEN.map((one) => [...one]),
        }),
      ),
    );
  await recordBases(
    db,
    [0, 1, 2, 3].map((back) =>
      basisSample("AAPL", START - back * HOUR + 60, { perpMarkUsd: `${101 + back}.5` }),
    ),
    NOW,
  );
}

/** As the documents say it: exact, then rounded to four decimals, half away from zero. */
const rounded = (value: Decimal) => value.toDecimalPlaces(4, Decimal.ROUND_HALF_UP).toNumber();
const Exact = Decimal.clone({ precision: 60 });

function premiumOf({ price_usd, shares_per_token, reference_price_usd }: any): Decimal | null {
  if (price_usd === null || shares_per_token === null || reference_price_usd === null) return null;
  return new Exact(price_usd)
    .div(new Exact(shares_per_token).times(reference_price_usd))
    .minus(1)
    .times(10_000);
}

function netEdgeOf(inputs: any): Decimal | null {
  const premium = premiumOf(inputs);
  if (premium === null || inputs.impact_1k_bps === null) return null;
  return premium.neg().minus(inputs.platform_fee_bps).minus(inputs.impact_1k_bps);
}

forAlikeEngines((engine) => {
  describe("points of the data API", () => {
    const folder = testFolder(`points-${engine.name}`);
    const sealAt = (seconds: number, db = app.db) =>
      sealHours({ db, now: () => seconds * 1_000, addEntry: addPointsEntry });
    const app = dataApp(engine, { assets: ASSETS, now: () => NOW * 1_000 }, async (db) => {
      await seed(db);
      await sealAt(NOW, db);
    });
    const get = (path: string) => app.get(path);
    const KEYED = "/api/v1/premium-history?symbol=AAPLx";
    const BASIS = "/api/basis/history?underlying=AAPL";

    it("say which revision they are, and what is not sealed says null", async () => {
      const { points } = (await get(`${KEYED}&days=1`)).body;
      expect(points.at(-1)).to.include({ revision: null, changed_at: null });
      for (const point of points.slice(0, -1))
        expect(point).to.include({ revision: 1, changed_at: iso(NOW) });
      expect(points[0]).to.not.have.any.keys("inputs", "proof");
      expect(
        (await get("/api/premium/history?symbol=AAPLx&days=1&inputs=1")).headers.get("ignored-parameters"),
      ).to.equal("inputs");
    });

    it("give every premium, net edge and basis again by their inputs alone", async () => {
      for (const { symbol } of ASSETS) {
        const own = (await get(`/api/v1/premium-history?symbol=${symbol}&days=90&inputs=1`)).body.points;
        const edges = (await get(`/api/premium/history?symbol=${symbol}&days=30`)).body.points;
        expect(own).to.have.length(symbol === APPLE.symbol ? HOURS : 40);
        for (const { ts, premium_bps, inputs } of own) {
          const [premium, netEdge] = [premiumOf(inputs), netEdgeOf(inputs)];
          expect(premium_bps, ts).to.equal(premium && rounded(premium));
          expect(inputs.net_edge_bps, ts).to.equal(netEdge && String(rounded(netEdge)));
          const edge = edges.find(({ t }: any) => iso(t) === ts);
          if (edge) expect(edge.net_edge, ts).to.equal(netEdge && rounded(netEdge));
        }
      }
      const { points } = (await get(`${BASIS}&inputs=1`)).body;
      expect(points).to.have.length(4);
      for (const { basis, funding_annual, inputs } of points) {
        const { mark_usd, spot_usd, funding_rate, funding_interval_hours } = inputs;
        expect(basis).to.equal(rounded(new Exact(mark_usd).minus(spot_usd).div(spot_usd).times(10_000)));
        const annual = new Exact(funding_rate).times(24 * 365 * 10_000).div(funding_interval_hours);
        expect(funding_annual).to.equal(rounded(annual));
      }
    });

    it("show every source with its word, its time and whether it counts", async () => {
      const [point] = (await get(`${KEYED}&days=1&inputs=1`)).body.points;
      const sampled = Date.parse(point.ts) / 1_000 + 60;
      expect(point.inputs).to.deep.include({
        sampled_at: iso(sampled),
        platform_fee_bps: "10",
        shares_per_token: SHARES,
      });
      expect(point.inputs.witnesses).to.deep.equal([
        { of: "price", source: "dex", value: "101.25", at: iso(sampled - 3), counts: true },
        { of: "price", source: "late", value: "150", at: null, counts: false },
      ]);
      expect(point.inputs.adjusted).to.deep.include({ factor: "1", inferred: false });
      const csv = (await get(`${KEYED}&days=1&inputs=1&format=csv`)).text;
      expect(csv)
        .to.match(/,revision,changed_at,inputs\r\n/)
        .and.to.contain('""price_usd"":');
    });

    it("are in shares of today where the stock was split since", async () => {
      await app.db
        .insertInto("corporate_actions")
        .values({
          ...{ asset_key: APPLE.assetKey, kind: "split", status: "applied", state: "single", inferred: 0 },
          ...{ value_before: "1", value_after: "4", effective_at: NOW - 2 * HOUR, announced_at: null },
          ...{ applied_at: NOW - 2 * HOUR, ended_at: null, at: NOW - 2 * HOUR, told: "[]" },
          ...{ revision: 1, changed_at: NOW },
        })
        .execute();
      const { points } = (await get(`${KEYED}&days=1&inputs=1`)).body;
      const [before, since] = [points[0].inputs, points.at(-1).inputs];
      expect(since.adjusted.factor).to.equal("1");
      expect(before.adjusted).to.deep.include({
        ...{ factor: "4", inferred: false, price_usd: before.price_usd },
        reference_price_usd: new Exact(before.reference_price_usd).div(4).toFixed(),
      });
      // The premium is that of the prices as they were.
      expect(points[0].premium_bps).to.equal(rounded(premiumOf(before.adjusted)!));
      const [basis] = (await get(`${BASIS}&inputs=1`)).body.points;
      expect(basis.inputs.adjusted).to.deep.include({ factor: "4", spot_usd: "25" });
      await app.db.deleteFrom("corporate_actions").execute();
    });

    it("are proved by the log of an hour that is over, and verify: each of a page, of a premium and of a basis", async () => {
      const before = (await get(`${KEYED}&days=1&proof=1`)).body.points;
      expect(before.map(({ proof }: any) => proof)).to.deep.equal(before.map(() => null));
      await using log = openLog(app.db, folder);
      await sealAt(START + HOUR);
      const path = `${KEYED}&days=2&proof=1&inputs=1`;
      await until("the log has signed", async () => (await get(path)).body.points[0].proof !== null);
      const trust = { logs: [developmentLogSigner().keyOf(`${TEST_BASE}/${yearOf(Date.now())}`)] };
      const [premiums, bases] = [(await get(path)).body, (await get(`${BASIS}&proof=1&inputs=1`)).body];
      for (const { points, ...answer } of [premiums, bases]) {
        expect(points.at(-1).proof).to.equal(null);
        for (const point of points.slice(0, -1)) {
          const { chain, address, ...others } = answer;
          // These tokens have keys without a chain: the signed text alone says of which series it is.
          const { verdict, steps } = verifyPoint(point, "venue" in answer ? others : null, trust);
          expect(verdict, JSON.stringify(steps)).to.equal("VALID");
        }
        const wrong = structuredClone(points[0]);
        const [, value] = Object.entries(wrong.inputs).find(([name]) => name.endsWith("_usd"))!;
        wrong.inputs = JSON.parse(JSON.stringify(wrong.inputs).replace(String(value), "1"));
        const { verdict, steps } = verifyPoint(wrong, null, trust);
        const failed = steps.filter(({ outcome }) => outcome === "wrong").map(({ name }) => name);
        expect([verdict, failed]).to.deep.equal(["INVALID", ["inputs"]]);
      }
      const page = (await get(`${KEYED}&days=90&proof=1`)).body;
      expect(page.points).to.have.length(100);
      expect(page.next_cursor).to.be.a("string");
      await log.stop();
    });

    it("are copied, computed again and proved by Python's standard library", async function () {
      this.timeout(60_000);
      debianProgram(this, "python3");
      const settings = join(folder, "settings.json");
      await writeFile(settings, JSON.stringify({ baseUrl: app.url, apiKey: app.key }));
      const program = join(import.meta.dirname, "../../../docs/examples/data.py");
      const run = () => promisify(execFile)("python3", [program, settings, "AAPLx"], { cwd: folder });
      const lines = (await run()).stdout.trim().split("\n");
      expect(lines[0]).to.equal("snapshot   3 tokens, 3 premiums computed again and equal");
      expect(lines[1]).to.match(
        /^history {4}21[56]\d hours of AAPLx since [0-9-]+, 21[56]\d premiums computed again and equal$/,
      );
      expect(lines[2]).to.equal(
        `proofs     10 points, each in a tree that its log signed: ${TEST_BASE}/${yearOf(Date.now())}`,
      );
      // It stops where one figure is another.
      await app.db
        .updateTable("points")
        .set({ content: sql<string>`replace(content, '"99.875"', '"99.874"')` })
        .where("hour", "=", START / HOUR - 1_000)
        .execute();
      const stopped = await run().catch((error: { stderr: string }) => error.stderr);
      expect(stopped).to.match(/^Stopped: the premium of AAPLx at .* is served\n$/);
    });

    it("refuse what is neither 0 nor 1, and more details than a page holds", async () => {
      for (const wrong of ["inputs=yes", "proof=2", "proof=1&limit=101", "inputs=1&limit=2161"]) {
        const { status, body } = await get(`${KEYED}&${wrong}`);
        expect([status, body.code], wrong).to.deep.equal([400, "invalid_request"]);
      }
      const { status, headers } = await get(`${BASIS}&inputs=x&proof=1&limit=101`);
      expect([status, headers.get("ignored-parameters")]).to.deep.equal([200, "limit, inputs"]);
      const many = await get(`${BASIS}&inputs=1&limit=169`);
      expect(many.headers.get("ignored-parameters")).to.equal("limit");
    });

    it("that were corrected, retracted or late are listed with what stood there before", async () => {
      const at = START - 5 * HOUR;
      await premiumsAt(app.db, NOW, [premiumSample(APPLE.assetKey, at + 1_800, { tokenPriceUsd: "103" })]);
      const span = {
        series: "basis/test/AAPL",
        from: START - HOUR,
        to: START,
        reason: "test",
        actor: "test",
      };
      await retract({ db: app.db, assets: ASSETS, now: () => NOW * 1_000 }, span);
      await sealAt(START + HOUR + 60);
      const { body } = await get(`/api/v1/revisions?underlying=AAPL&from=${iso(START + HOUR)}`);
      expect(
        body.revisions.map(({ series, ts, revision, change }: any) => [series, ts, revision, change]),
      ).to.have.deep.members([
        [`premium/${APPLE.assetKey}`, iso(at), 2, "recomputed"],
        ["basis/test/AAPL", iso(START - HOUR), 2, "retracted"],
      ]);
      const [changed, retracted] = [...body.revisions].sort((a: any, b: any) =>
        a.change.localeCompare(b.change),
      );
      expect(changed).to.include({ symbol: "AAPLx", chain: "bnb", venue: null, underlying: "AAPL" });
      expect(changed.before).to.include({ revision: 1, changed_at: iso(NOW) });
      expect(changed.after).to.include({ revision: 2, changed_at: iso(START + HOUR + 60), premium: 300 });
      expect(changed.after.inputs.price_usd).to.equal("103");
      expect(retracted).to.include({ symbol: null, venue: "test", underlying: "AAPL", after: null });
      expect(retracted.before.inputs.mark_usd).to.equal("102.5");
      const late = (await get("/api/v1/revisions?symbol=TSLAx&limit=7")).body;
      expect(late.revisions).to.have.length(7);
      expect(late.revisions[0]).to.include({ change: "late", before: null });
      const next = (await get(`/api/v1/revisions?symbol=TSLAx&limit=1000&cursor=${late.next_cursor}`)).body;
      const hours = [...late.revisions, ...next.revisions].map(({ ts }: any) => ts);
      expect(new Set(hours).size).to.equal(hours.length);
      expect(hours.length).to.be.within(38, 40);
      const csv = (await get(`/api/v1/revisions?symbol=AAPLx&from=${iso(START + HOUR)}&format=csv`)).text;
      expect(csv).to.contain("# dataset: revisions");
      expect((await get("/api/v1/revisions?symbol=NOTHING")).body.revisions).to.deep.equal([]);
      expect((await get("/api/v1/revisions?days=3")).status).to.equal(400);
      const { points } = (await get(`${KEYED}&from=${iso(at)}&to=${iso(at + HOUR)}`)).body;
      expect(points[0]).to.include({ revision: 2, premium_bps: 300, changed_at: iso(START + HOUR + 60) });
    });
  });
});
