import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect } from "chai";
import { createCaches } from "../../../chain/caches.ts";
import type { Database } from "../../../database/open.ts";
import { recordBases } from "../../../market/series/basis.ts";
import { recordVolumes, snapshotDay } from "../../../market/series/totals.ts";
import { expectSameRows, iso, testDataApi } from "../../support/dataApi.ts";
import { forEachEngine } from "../../support/database.ts";
import { basisSample, listedToken, premiumSample, premiumsAt, volumeSample } from "../../support/samples.ts";

/** A question to a CSV file, called `file` in it, whose columns DuckDB types by itself. @returns its only row */
async function duckOne(csv: string, question: string): Promise<Record<string, unknown>> {
  const [row] = await queried(csv, (file) => question.replace("file", `read_csv('${file}')`));
  return row as Record<string, unknown>;
}

async function queried(text: string, question: (file: string) => string): Promise<unknown[]> {
  const folder = mkdtempSync(join(tmpdir(), "assay-duck-"));
  try {
    const file = join(folder, "list");
    writeFileSync(file, text);
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    const reader = await connection.runAndReadAll(question(file));
    return reader.getRowObjects();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const HOUR = 3_600;
const DAY = 86_400;
const NOW = Date.UTC(2026, 10, 25, 15, 20) / 1_000;

const [APPLE, TESLA, NVIDIA] = ["AAPL", "TSLA", "NVDA"].map((ticker) => listedToken(ticker)) as [
  ReturnType<typeof listedToken>,
  ReturnType<typeof listedToken>,
  ReturnType<typeof listedToken>,
];
const ASSETS = [APPLE, TESLA, NVIDIA];
const HOURS = 4_321;
const FIRST = NOW - (NOW % HOUR) - (HOURS - 1) * HOUR;

async function seed(db: Database): Promise<void> {
  const hours = Array.from({ length: HOURS }, (_, index) =>
    // Every seventh hour is absent.
    premiumSample(APPLE.assetKey, FIRST + index * HOUR + 60, { tokenPriceUsd: `${100 + (index % 37) / 16}` }),
  ).filter((_, index) => index % 7 !== 3);
  await premiumsAt(db, NOW, hours);
  await recordBases(
    db,
    [1, 2, 3, 30].map((hour) => basisSample("AAPL", NOW - hour * HOUR, { perpMarkUsd: `${100 + hour}` })),
    NOW,
  );
  const midnight = NOW - (NOW % DAY);
  for (const back of [1, 2, 3, 7]) {
    const end = midnight - (back - 1) * DAY;
    await recordVolumes(db, [volumeSample(APPLE.assetKey, end - 60, { volume24hUsd: `${back}00.25` })], NOW);
    await snapshotDay(db, ASSETS, iso(end - DAY).slice(0, 10));
  }
}

forEachEngine((engine) => {
  describe("windows of the data API", () => {
    const caches = createCaches(() => performance.now());
    const { app, get } = testDataApi(async () => {
      const db = await engine.create();
      await seed(db);
      return { db, data: { assets: ASSETS, simulated: true, now: () => NOW * 1_000, caches } };
    });
    const KEYED = "/api/v1/premium-history?symbol=AAPLx";
    const PUBLIC = "/api/premium/history?symbol=AAPLx";

    it("a window has the hours that start from `from` on and before `to`, by date or by date-time", async () => {
      const [from, to] = [FIRST + 100 * HOUR, FIRST + 201 * HOUR];
      const { body } = await get(`${KEYED}&from=${iso(from)}&to=${iso(to)}`);
      expect(body).to.include({ from: iso(from), to: iso(to) });
      expect(body.points[0].ts).to.equal(iso(from));
      expect(body.points.at(-1).ts).to.equal(iso(to - HOUR));
      const all = (await get(`${KEYED}&days=90`)).body.points;
      const day = (await get(`${KEYED}&from=2026-11-20&to=2026-11-21`)).body.points;
      expect(day).to.eql(all.filter(({ ts }: any) => ts.startsWith("2026-11-20")));
      // Part of an hour is no hour that starts then.
      const late = (await get(`${PUBLIC}&from=2026-11-20T00:30:00Z&to=2026-11-20T02:00:01Z`)).body;
      expect(late.points.map(({ t }: any) => iso(t))).to.eql([
        "2026-11-20T01:00:00.000Z",
        "2026-11-20T02:00:00.000Z",
      ]);
      // Where one end is missing `days` and now are the other.
      const last = (await get(`${PUBLIC}&days=2&to=2026-11-20`)).body;
      expect([last.from, last.days]).to.eql(["2026-11-18T00:00:00.000Z", 2]);
      expect((await get(`${PUBLIC}&from=2026-11-25T15:00:00Z`)).body.points).to.have.length(1);
      expect((await get(`${KEYED}&from=2026-11-20&to=2026-11-19`)).body.points).to.eql([]);
    });

    it("an answer names no window where none was asked for", async () => {
      for (const path of [KEYED, PUBLIC, "/api/basis/history?underlying=AAPL", "/api/market-overview"]) {
        const { body, headers } = await get(path);
        expect(body, path).to.not.have.any.keys("from", "to");
        expect(headers.get("ignored-parameters")).to.equal(null);
      }
    });

    it("a window of half a year comes whole as CSV, with the same rows and what they are", async () => {
      const from = iso(FIRST);
      const csv = await get(`${KEYED}&from=${from}&format=csv`);
      expect(csv.headers.get("content-type")).to.equal("text/csv; charset=utf-8; header=present");
      expect(csv.headers.get("attribution")).to.match(/^Assay, local world/);
      expect(csv.headers.get("window")).to.equal(`${from}/${iso(NOW - (NOW % HOUR) + HOUR)}`);
      expect(csv.headers.get("series")).to.match(/^symbol=AAPLx&chain=\w+&address=\w+&underlying=AAPL$/);
      const { points } = (await get(`${KEYED}&from=${from}`)).body;
      expect(points.length).to.be.above(HOURS / 2);
      expectSameRows(csv.text, points);
      const sums = await duckOne(
        csv.text,
        "select count(*)::int as hours, sum(premium_bps)::decimal(18, 4)::varchar as sum, max(ts)::varchar as last from file",
      );
      const sum =
        points.reduce((total: number, { premium_bps }: any) => total + Math.round(premium_bps * 1e4), 0) /
        1e4;
      expect(sums).to.eql({ hours: points.length, sum: sum.toFixed(4), last: "2026-11-25 15:00:00+00" });
    });

    it("a window comes compressed where the client takes it, as CSV too", async () => {
      const path = `${KEYED}&from=${iso(FIRST)}&format=csv`;
      const plain = (await app.call(path, { headers: { "accept-encoding": "identity" } })).text;
      for (const coding of ["br", "gzip"]) {
        const answer = await app.call(path, { headers: { "accept-encoding": coding } });
        expect(answer.headers.get("content-encoding")).to.equal(coding);
        expect(answer.text).to.equal(plain);
      }
      const head = await app.call(path, { method: "HEAD" });
      expect([head.status, head.text]).to.eql([200, ""]);
      const known = { headers: { "if-none-match": head.headers.get("etag") as string } };
      expect((await app.call(path, known)).status).to.equal(304);
    });

    it("a window of a public series comes as CSV too", async () => {
      for (const path of ["/api/basis/history?underlying=AAPL", "/api/market-overview?days=20", PUBLIC]) {
        const { text, headers } = await get(`${path}&format=csv`);
        const { points, series } = (await get(path)).body;
        expectSameRows(text, points ?? series);
        expect(headers.get("attribution")).to.match(/^Assay, /);
      }
      const nobodys = await get("/api/premium/history?symbol=%0d%0a%ffx%e8%8b%b9&format=csv");
      expect(nobodys.text).to.match(/^t,premium,.*\r\n$/);
      expect(nobodys.headers.get("series")).to.match(/^symbol=%0D%0A.*x%E8%8B%B9&chain=&/);
      const totals = (await get("/api/market-overview?days=20")).body.series.filter(
        ({ scope }: any) => scope === "all",
      );
      expect(
        await duckOne(
          (await get("/api/market-overview?days=20&format=csv")).text,
          "select sum(vol)::decimal(18, 2)::varchar as vol, count(*)::int as days from file where scope = 'all'",
        ),
      ).to.eql({ vol: "1301.00", days: totals.length });
      const [day] = (await get("/api/market-overview?from=2026-11-23&to=2026-11-24")).body.series;
      expect([day.day, day.vol]).to.eql(["2026-11-23", "200.25"]);
    });

    it("a window that is too long is refused with a key; a public one begins `days` before its end instead, and `from` is named", async () => {
      const long = await get(`${KEYED}&from=2025-01-01&to=2026-11-20`);
      expect([long.status, long.body.code]).to.eql([400, "window_too_long"]);
      expect((await get(`${KEYED}&from=2025-10-01&to=2026-11-20`)).status).to.equal(200);
      const answer = await get(`${PUBLIC}&days=3&from=2026-10-01&to=2026-11-20`);
      expect(answer.headers.get("ignored-parameters")).to.equal("from");
      expect(answer.body).to.include({ from: "2026-11-17T00:00:00.000Z", to: "2026-11-20T00:00:00.000Z" });
      expect((await get(`${PUBLIC}&from=${iso(NOW - 30 * DAY)}`)).body.points.length).to.be.above(600);
      const totals = await get("/api/market-overview?from=2025-11-01");
      expect(totals.headers.get("ignored-parameters")).to.equal("from");
    });

    it("a window that cannot be read is refused with a key, and named to the public beside the usual answer", async () => {
      const malformed = [
        ["from", "soon"],
        ["from", ""],
        ["to", "2026-13-01"],
        ["to", "2026-11-25T10:00:00"],
        ["format", "xml"],
        ["format", "ndjson"],
      ];
      for (const [name = "", value = ""] of malformed) {
        const refused = await get(`${KEYED}&${name}=${value}`);
        expect([refused.status, refused.body.code], name).to.eql([400, "invalid_request"]);
        expect(refused.body.errors.map(({ path }: any) => path)).to.eql([name]);
        for (const path of [PUBLIC, "/api/basis/history?underlying=AAPL", "/api/market-overview?days=9"]) {
          const usual = await get(path);
          const answer = await get(`${path}&${name}=${value}`);
          expect(answer.headers.get("ignored-parameters"), `${path} ${name}=${value}`).to.equal(name);
          expect([answer.status, answer.body]).to.eql([200, usual.body]);
        }
      }
    });

    it("parameters that an endpoint does not know are named in a header, which is never too long", async () => {
      const ignored = async (path: string) => (await get(path)).headers.get("ignored-parameters");
      expect(await ignored(`${KEYED}&form=csv&since=2026`)).to.equal("form, since");
      expect(await ignored(`${PUBLIC}&DAYS=5&days[]=5`)).to.equal("DAYS, days%5B%5D");
      expect(await ignored("/api/v1/assets?from=2026-11-25&chain=bnb")).to.equal("from, chain");
      expect(await ignored("/api/v1/liquidity-scores?symbol=AAPLx")).to.equal("symbol");
      const many = Array.from({ length: 60 }, (_, index) => `${"%0Ax".repeat(20)}${index}=1`).join("&");
      expect((await ignored(`${PUBLIC}&${many}`))?.length).to.be.below(500);
    });

    it("windows fill no cache, however many are asked for", async () => {
      const held = () => caches.held().find(({ cache }) => cache === "data answers")?.entries;
      await get(PUBLIC);
      const before = held();
      for (let hour = 0; hour < 20; hour++) await get(`${PUBLIC}&from=${iso(NOW - (20 + hour) * HOUR)}`);
      await get(`${PUBLIC}&format=csv`);
      expect(held()).to.equal(before);
    });
  });
});
