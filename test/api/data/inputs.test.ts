/** What points were computed from, over HTTP. */
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { Decimal } from "decimal.js";
import type { Database } from "../../../database/open.ts";
import { recordBases } from "../../../market/series/basis.ts";
import { expectSameRows, iso, testDataApi } from "../../support/dataApi.ts";
import { forEachEngine } from "../../support/database.ts";
import { debianProgram } from "../../support/debian.ts";
import { basisSample, listedToken, premiumSample, premiumsAt } from "../../support/samples.ts";
import { testFolder } from "../../support/suite.ts";

const HOUR = 3_600;
/** 20 minutes into an hour. */
const NOW = Math.floor(Date.now() / 1_000 / HOUR) * HOUR - HOUR + 20 * 60;
const START = NOW - (NOW % HOUR);
const HOURS = 30 * 24;
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

forEachEngine((engine) => {
  describe("inputs of the data API", () => {
    let db: Database;
    const folder = testFolder(`points-${engine.name}`);
    const { app, get } = testDataApi(async () => {
      db = await engine.create();
      await seed(db);
      return { db, data: { assets: ASSETS, simulated: true, now: () => NOW * 1_000 } };
    });
    const KEYED = "/api/v1/premium-history?symbol=AAPLx";
    const BASIS = "/api/basis/history?underlying=AAPL";

    it("inputs come where they are asked for, and where a series has them", async () => {
      const { points } = (await get(`${KEYED}&days=1`)).body;
      expect(points[0]).to.not.have.any.keys("inputs");
      expect(
        (await get("/api/premium/history?symbol=AAPLx&days=1&inputs=1")).headers.get("ignored-parameters"),
      ).to.equal("inputs");
    });

    it("every premium, net edge and basis follows from its inputs alone", async () => {
      for (const { symbol } of ASSETS) {
        const own = (await get(`/api/v1/premium-history?symbol=${symbol}&days=30&inputs=1`)).body.points;
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

    it("inputs show every source with its word, its time and whether it counts", async () => {
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
      const csv = (await get(`${KEYED}&days=1&inputs=1&format=csv`)).text;
      expectSameRows(csv, (await get(`${KEYED}&days=1&inputs=1`)).body.points);
    });

    it("Python's standard library copies figures with their inputs and computes them again", async function () {
      this.timeout(60_000);
      debianProgram(this, "python3");
      const settings = join(folder, "settings.json");
      await writeFile(settings, JSON.stringify({ baseUrl: app.url, apiKey: app.key }));
      const program = join(import.meta.dirname, "../../../docs/examples/data.py");
      const run = () => promisify(execFile)("python3", [program, settings, "AAPLx"], { cwd: folder });
      const lines = (await run()).stdout.trim().split("\n");
      expect(lines[0]).to.equal("snapshot   3 tokens, 3 premiums computed again and equal");
      expect(lines[1]).to.match(/^history {4}720 hours of AAPLx, 720 premiums computed again and equal$/);
      // It stops where one figure is another.
      await db
        .updateTable("hour_buckets")
        .set({ close: 1 })
        .where("hour", "=", START / HOUR - 100)
        .execute();
      const stopped = await run().catch((error: { stderr: string }) => error.stderr);
      expect(stopped).to.match(/^Stopped: the premium of AAPLx at .* is served\n$/);
    });

    it("`inputs` that is neither 0 nor 1 is refused with a key", async () => {
      const { status, body } = await get(`${KEYED}&inputs=yes`);
      expect([status, body.code]).to.deep.equal([400, "invalid_request"]);
      const ignored = await get(`${BASIS}&inputs=x`);
      expect([ignored.status, ignored.headers.get("ignored-parameters")]).to.deep.equal([200, "inputs"]);
    });

    it("inputs are refused for a window that is too long, and never given for a part of it", async () => {
      const day = (back: number) => iso(START - back * 24 * HOUR).slice(0, 10);
      for (const path of [
        `${KEYED}&days=31`,
        `${KEYED}&days=90`,
        `${KEYED}&from=${day(31)}`,
        `${BASIS}&days=30`,
        `${BASIS}&from=${day(8)}`,
        `${BASIS}&from=${day(40)}`,
      ]) {
        const { status, body } = await get(`${path}&inputs=1`);
        expect([status, body.code], path).to.deep.equal([400, "window_too_long"]);
      }
      expect((await get(`${BASIS}&from=${day(8)}&to=${day(2)}&inputs=1`)).status).to.equal(200);
    });

    it("inputs are refused for a window whose samples are no longer kept, and given for the hours since", async () => {
      const keptFrom = START - 48 * HOUR;
      await db
        .updateTable("market_state")
        .set({ value: keptFrom })
        .where("name", "=", "raw_cleared_before")
        .execute();
      await db.deleteFrom("raw_samples").where("sampled_at", "<", keptFrom).execute();
      for (const path of [`${KEYED}&days=3`, BASIS]) {
        const { status, body } = await get(`${path}&inputs=1`);
        expect([status, body.code], path).to.deep.equal([400, "window_too_old"]);
        expect(body.detail).to.contain(iso(keptFrom));
      }
      const since = (await get(`${KEYED}&from=${iso(keptFrom)}&inputs=1`)).body.points;
      expect(since).to.have.length(49);
      expect((await get(`${KEYED}&days=3`)).body.points).to.have.length(72);
    });

    it("inputs are those of the sample that closes the hour, also where several are of its last second", async () => {
      const second = START + 600;
      const prices = ["102", "104", "103"].map((tokenPriceUsd) =>
        premiumSample(APPLE.assetKey, second, { tokenPriceUsd, referencePriceUsd: "99.875" }),
      );
      for (const sample of prices) await premiumsAt(db, NOW, [sample]);
      const point = (await get(`${KEYED}&from=${iso(START)}&inputs=1`)).body.points.at(-1);
      expect(point.samples).to.equal(4);
      expect(point.premium_bps).to.equal(rounded(premiumOf(point.inputs)!));
    });
  });
});
