import { expect } from "chai";
import fc from "fast-check";
import { createCaches } from "../../../chain/caches.ts";
import type { Database } from "../../../database/open.ts";
import { recordBases } from "../../../market/series/basis.ts";
import { recordImpactSamples } from "../../../market/series/samples.ts";
import { recordVolumes, snapshotDay } from "../../../market/series/totals.ts";
import { forAlikeEngines } from "../../support/database.ts";
import { duckOne } from "../../support/duck.ts";
import { type Answer, dataApp } from "../../support/http.ts";
import {
  basisSample,
  impactSample,
  listedToken,
  premiumSample,
  premiumsAt,
  volumeSample,
} from "../../support/samples.ts";

const HOUR = 3_600;
const DAY = 86_400;
const NOW = Date.UTC(2026, 10, 25, 15, 20) / 1_000;
const iso = (seconds: number) => new Date(seconds * 1_000).toISOString();

const [APPLE, TESLA, NVIDIA] = ["AAPL", "TSLA", "NVDA"].map((ticker) => listedToken(ticker)) as [
  ReturnType<typeof listedToken>,
  ReturnType<typeof listedToken>,
  ReturnType<typeof listedToken>,
];
const ASSETS = [APPLE, TESLA, NVIDIA];
/** More hours than are read at once. */
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
  await recordImpactSamples(db, [
    impactSample(APPLE.assetKey, NOW - 2 * HOUR, "5"),
    impactSample(TESLA.assetKey, NOW - HOUR, "7"),
  ]);
  const midnight = NOW - (NOW % DAY);
  for (const back of [1, 2, 3, 7]) {
    const end = midnight - (back - 1) * DAY;
    await recordVolumes(db, [volumeSample(APPLE.assetKey, end - 60, { volume24hUsd: `${back}00.25` })], NOW);
    await snapshotDay(db, ASSETS, iso(end - DAY).slice(0, 10));
  }
}

forAlikeEngines((engine) => {
  describe("windows of the data API", () => {
    const caches = createCaches(() => performance.now());
    const app = dataApp(engine, { assets: ASSETS, now: () => NOW * 1_000, caches }, seed);
    const get = (path: string) => app.get(path);
    const KEYED = "/api/v1/premium-history?symbol=AAPLx";
    const PUBLIC = "/api/premium/history?symbol=AAPLx";

    it("serve the hours that start from `from` on and before `to`, by date or by date-time", async () => {
      const [from, to] = [FIRST + 100 * HOUR, FIRST + 201 * HOUR];
      const { body } = await get(`${KEYED}&from=${iso(from)}&to=${iso(to)}`);
      expect(body).to.include({ from: iso(from), to: iso(to), next_cursor: null });
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

    it("change nothing for who asks without them", async () => {
      for (const path of [KEYED, PUBLIC, "/api/basis/history?underlying=AAPL", "/api/market-overview"]) {
        const { body, headers } = await get(path);
        expect(body, path).to.not.have.any.keys("from", "to", "next_cursor");
        expect([headers.get("link"), headers.get("ignored-parameters")]).to.eql([null, null]);
      }
    });

    it("come in pages that together are the whole, by the cursor and by the Link header alike", async () => {
      const paths = [
        [`${KEYED}&days=9`, "points"],
        [`${PUBLIC}&from=2026-11-01&to=2026-11-05`, "points"],
        ["/api/basis/history?underlying=AAPL", "points"],
        ["/api/market-overview?days=20", "series"],
        ["/api/v1/assets?", "assets"],
        ["/api/v1/liquidity-scores?", "scores"],
      ] as const;
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...paths),
          fc.integer({ min: 1, max: 70 }),
          fc.boolean(),
          async ([path, member], limit, byLink) => {
            const all = (await get(path)).body[member];
            const listed = [];
            let next: string | null = `${path}&limit=${limit}`;
            while (next !== null) {
              const { body, headers }: Answer = await get(next);
              if (member !== "series") expect(body[member].length).to.be.within(1, limit);
              listed.push(...body[member]);
              const link = headers.get("link")?.match(/^<(\?[^>]+)>; rel="next"$/)?.[1];
              expect(link === undefined).to.equal(body.next_cursor === null);
              if (link === undefined) next = null;
              else
                next = byLink
                  ? path.split("?")[0] + link
                  : `${path}&limit=${limit}&cursor=${body.next_cursor}`;
            }
            expect(listed).to.eql(all);
          },
        ),
        { numRuns: 25 },
      );
    });

    it("of half a year come whole as CSV and NDJSON, with the same rows and what they are", async () => {
      const from = iso(FIRST);
      const csv = await get(`${KEYED}&from=${from}&format=csv`);
      expect(csv.headers.get("content-type")).to.equal("text/csv; charset=utf-8");
      // It is written while it is sent.
      expect(csv.headers.get("etag")).to.equal(null);
      for (const line of [
        "# dataset: premium-history",
        "# symbol: AAPLx",
        "# unit of premium_bps: basis points",
      ])
        expect(csv.text).to.contain(`${line}\r\n`);
      expect(csv.text)
        .to.match(/^# attribution: Assay, local world/m)
        .and.match(/^# licence: /m);
      const ndjson = await get(`${KEYED}&from=${from}&format=ndjson`);
      const [head, ...rows] = ndjson.text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
      expect(head.meta).to.deep.include({
        of: { symbol: "AAPLx", chain: "bnb", address: "AAPL", underlying: "AAPL" },
      });
      const pages = [];
      for (let cursor = ""; ; ) {
        const { body } = await get(`${KEYED}&from=${from}&limit=3000${cursor}`);
        pages.push(...body.points);
        if (body.next_cursor === null) break;
        cursor = `&cursor=${body.next_cursor}`;
      }
      expect(rows).to.eql(pages);
      const sums = await duckOne(
        csv.text,
        "select count(*)::int as hours, sum(premium_bps)::decimal(18, 4)::varchar as sum, max(ts)::varchar as last from file",
      );
      const sum = pages.reduce((total, { premium_bps }) => total + Math.round(premium_bps * 1e4), 0) / 1e4;
      expect(sums).to.eql({ hours: pages.length, sum: sum.toFixed(4), last: "2026-11-25 15:00:00+00" });
    });

    it("come compressed where the client takes it, also piece by piece", async () => {
      const path = `${KEYED}&from=${iso(FIRST)}&format=csv`;
      const plain = (await app.call(path, { headers: { "accept-encoding": "identity" } })).text;
      for (const coding of ["br", "gzip"]) {
        const answer = await app.call(path, { headers: { "accept-encoding": coding } });
        expect(answer.headers.get("content-encoding")).to.equal(coding);
        expect(answer.text).to.equal(plain);
      }
      const head = await app.call(path, { method: "HEAD" });
      expect([head.status, head.text]).to.eql([200, ""]);
    });

    it("of public series come in other forms too, a page at a time", async () => {
      const json = (await get(`${PUBLIC}&from=2026-09-01&limit=5`)).body;
      const csv = await get(`${PUBLIC}&from=2026-09-01&limit=5&format=csv`);
      expect(csv.text).to.contain(`# next_cursor: ${json.next_cursor}\r\n`);
      expect(csv.headers.get("link")).to.contain(json.next_cursor);
      const most = await get(`${PUBLIC}&from=${iso(FIRST)}&format=ndjson`);
      expect(most.text.trimEnd().split("\n")).to.have.length(1 + 720);
      for (const path of [
        "/api/basis/history?underlying=AAPL",
        "/api/market-overview?days=20",
        "/api/v1/assets?",
      ]) {
        const { text } = await get(`${path}&format=csv`);
        expect(text).to.match(/^# dataset: .*\r\n# attribution: /);
      }
      const totals = (await get("/api/market-overview?days=20")).body.series.filter(
        ({ scope }: any) => scope === "all",
      );
      expect(
        await duckOne(
          (await get("/api/market-overview?days=20&format=csv")).text,
          "select sum(vol)::decimal(18, 2)::varchar as vol, count(*)::int as days from file where scope = 'all'",
        ),
      ).to.eql({ vol: "1301.00", days: totals.length });
    });

    it("of scores use the time of measurement", async () => {
      const scores = async (query: string) =>
        (await get(`/api/v1/liquidity-scores?${query}`)).body.scores.map(({ symbol }: any) => symbol);
      expect(await scores(`from=${iso(NOW - HOUR)}`)).to.eql(["TSLAx"]);
      expect(await scores(`to=${iso(NOW - HOUR)}`)).to.eql(["AAPLx"]);
    });

    it("that cannot be read are refused with a key, and named to the public beside the usual answer", async () => {
      const malformed = [
        ["from", "soon"],
        ["from", ""],
        ["to", "2026-13-01"],
        ["to", "2026-11-25T10:00:00"],
        ["limit", "0"],
        ["limit", "1e3"],
        ["limit", "999999"],
        ["cursor", "nonsense"],
        ["cursor", "WzFd"],
        ["format", "xml"],
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

    it("are the only parameters beside those of the contract: others are named, and no name is too long", async () => {
      const ignored = async (path: string) => (await get(path)).headers.get("ignored-parameters");
      expect(await ignored(`${KEYED}&form=csv&since=2026`)).to.equal("form, since");
      expect(await ignored(`${PUBLIC}&DAYS=5&days[]=5`)).to.equal("DAYS, days%5B%5D");
      expect(await ignored("/api/v1/assets?from=2026-11-25&chain=bnb")).to.equal("from, chain");
      expect(await ignored("/api/v1/liquidity-scores?symbol=AAPLx")).to.equal("symbol");
      const many = Array.from({ length: 60 }, (_, index) => `${"%0Ax".repeat(20)}${index}=1`).join("&");
      expect((await ignored(`${PUBLIC}&${many}`))?.length).to.be.below(500);
    });

    it("fill no cache, however many are asked for", async () => {
      const held = () => caches.held().find(({ cache }) => cache === "data answers")?.entries;
      await get(PUBLIC);
      const before = held();
      for (let hour = 0; hour < 20; hour++) await get(`${PUBLIC}&from=${iso(FIRST + hour * HOUR)}&limit=1`);
      for (const format of ["csv", "ndjson"]) await get(`/api/v1/assets?format=${format}`);
      expect(held()).to.equal(before);
    });
  });
});
