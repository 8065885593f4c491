import { createHash } from "node:crypto";
import { brotliCompressSync } from "node:zlib";
import { expect } from "chai";
import { type FileDeps, makeFiles } from "../../../api/data/dayFiles.ts";
import { textsOf } from "../../../api/data/texts.ts";
import type { Database } from "../../../database/open.ts";
import { retract } from "../../../market/collect/repair.ts";
import { recordBases } from "../../../market/series/basis.ts";
import { sealHours } from "../../../market/series/sealing.ts";
import { recordVolumes, snapshotDay } from "../../../market/series/totals.ts";
import { forAlikeEngines } from "../../support/database.ts";
import { duckOne, duckOneOfNdjson } from "../../support/duck.ts";
import { dataApp } from "../../support/http.ts";
import { basisSample, listedToken, premiumSample, premiumsAt, volumeSample } from "../../support/samples.ts";

const HOUR = 3_600;
const DAY = 86_400;
const MINUTE = 60;
/** A midnight. */
const END = Date.UTC(2026, 10, 25) / 1_000;
const NOW = END + 2 * HOUR;
const ASSETS = [listedToken("AAPL"), listedToken("TSLA")];
const [APPLE] = ASSETS as [(typeof ASSETS)[0]];

async function seed(db: Database): Promise<void> {
  const hours = Array.from({ length: 60 }, (_, back) => END + HOUR - back * HOUR + 60);
  for (const { assetKey } of [...ASSETS, { assetKey: "gone" }])
    await premiumsAt(
      db,
      NOW,
      hours.map((at) => premiumSample(assetKey, at, { tokenPriceUsd: `${100 + (at % 7_919) / 1_000}` })),
    );
  await recordBases(
    db,
    hours.map((at) => basisSample("AAPL", at, { perpMarkUsd: `${100 + (at % 7_907) / 1_000}` })),
    NOW,
  );
  for (const day of [1, 0]) {
    await recordVolumes(
      db,
      [volumeSample(APPLE.assetKey, END - day * DAY - 60, { volume24hUsd: "12.25" })],
      NOW,
    );
    await snapshotDay(db, ASSETS, new Date((END - (day + 1) * DAY) * 1_000).toISOString().slice(0, 10));
  }
}

/** As a round of the background does it. */
async function publish(deps: FileDeps): Promise<number> {
  await sealHours({ ...deps, addEntry: async () => {} });
  return makeFiles(deps);
}

forAlikeEngines((engine) => {
  describe("daily files", () => {
    const { attribution } = textsOf(true);
    const at = (seconds: number): FileDeps => ({
      db: app.db,
      assets: ASSETS,
      attribution,
      now: () => seconds * 1_000,
    });
    const app = dataApp(engine, { assets: ASSETS, now: () => NOW * 1_000 }, seed);
    const get = (path: string, key?: string | null) => app.get(`/api/v1/files${path}`, key);
    const manifest = async (query = "") => (await get(query)).body.files;
    const names = async (query = "") =>
      (await manifest(query))
        .filter(({ format }: any) => format === "csv")
        .map(({ day, dataset, revision }: any) => `${day} ${dataset} ${revision}`);

    it("are made some minutes after a day has ended, and once", async () => {
      expect(await publish(at(END + 14 * MINUTE))).to.equal(5);
      expect(await names("?from=2026-11-24")).to.eql([]);
      expect(await publish(at(END + 16 * MINUTE))).to.equal(2);
      expect(await names("?from=2026-11-24")).to.eql(["2026-11-24 bases 1", "2026-11-24 premiums 1"]);
      // Late samples of totals come for an hour.
      expect(await publish(at(END + 76 * MINUTE))).to.equal(1);
      expect(await publish(at(NOW))).to.equal(0);
      expect(await names("?dataset=totals")).to.eql(["2026-11-23 totals 1", "2026-11-24 totals 1"]);
      expect(await names("?to=2026-11-24&dataset=bases,premiums")).to.eql([
        "2026-11-22 bases 1",
        "2026-11-22 premiums 1",
        "2026-11-23 bases 1",
        "2026-11-23 premiums 1",
      ]);
    });

    it("have the size and the SHA-256 that the manifest tells, and say what they are", async () => {
      for (const { url, sha256, bytes, rows, format, dataset, day } of await manifest()) {
        const answer = await app.call(url);
        const body = Buffer.from(answer.text);
        expect([body.length, createHash("sha256").update(body).digest("hex")], url).to.eql([bytes, sha256]);
        expect(answer.headers.get("cache-control")).to.equal("private, max-age=31536000, immutable");
        expect(answer.headers.get("etag")).to.contain(sha256);
        const again = await app.call(url, {
          headers: { "if-none-match": answer.headers.get("etag") as string },
        });
        expect([again.status, again.text]).to.eql([304, ""]);
        const lines = answer.text.trimEnd().split(format === "csv" ? "\r\n" : "\n");
        if (format === "csv") {
          expect(lines.filter((line) => !line.startsWith("#"))).to.have.length(rows + 1);
          for (const line of [
            `# dataset: ${dataset}`,
            `# attribution: ${attribution}`,
            `# day: ${day}`,
            "# revision: 1",
          ])
            expect(lines).to.include(line);
          expect(answer.text)
            .to.match(/^# licence: /m)
            .and.match(/^# unit of /m);
        } else {
          expect(lines).to.have.length(rows + 1);
          expect(JSON.parse(lines[0] as string).meta).to.include.keys(
            "attribution",
            "licence",
            "units",
            "columns",
          );
        }
      }
    });

    it("read by DuckDB have the sums of the API", async () => {
      const day = "from=2026-11-24&to=2026-11-25";
      const sum = (values: number[]) =>
        (values.reduce((all, value) => all + Math.round(value * 1e4), 0) / 1e4).toFixed(4);
      const question = (column: string, where: string) =>
        `select count(*)::int as hours, sum(${column})::decimal(18, 4)::varchar as sum from file where ${where}`;
      const texts = async (dataset: string) => {
        const path = `/api/v1/files/${dataset}/2026-11-24/1`;
        return [(await app.call(`${path}.csv`)).text, (await app.call(`${path}.ndjson`)).text] as const;
      };

      const premiums = (await app.call(`/api/v1/premium-history?symbol=AAPLx&${day}`)).body.points;
      const expected = { hours: 24, sum: sum(premiums.map(({ premium_bps }: any) => premium_bps)) };
      const [csv, ndjson] = await texts("premiums");
      const ofApple = question("premium", "symbol = 'AAPLx'");
      expect(await duckOne(csv, ofApple)).to.eql(expected);
      expect(await duckOneOfNdjson(ndjson, ofApple)).to.eql(expected);
      // Tokens that are listed no more are there by their key.
      expect(
        await duckOne(csv, "select count(*)::int as rows, count(symbol)::int as listed from file"),
      ).to.eql({
        rows: 72,
        listed: 48,
      });

      const bases = (await app.call(`/api/basis/history?underlying=AAPL&${day}`)).body.points;
      const ofBasis = { hours: 24, sum: sum(bases.map(({ basis }: any) => basis)) };
      const [basesCsv, basesNdjson] = await texts("bases");
      expect(await duckOne(basesCsv, question("basis", "underlying = 'AAPL'"))).to.eql(ofBasis);
      expect(await duckOneOfNdjson(basesNdjson, question("basis", "underlying = 'AAPL'"))).to.eql(ofBasis);

      const totals = (await app.call(`/api/market-overview?${day}`)).body.series;
      const [totalsCsv] = await texts("totals");
      expect(await duckOne(totalsCsv, question("vol", "true"))).to.eql({
        hours: totals.length,
        sum: sum(totals.map(({ vol }: any) => Number(vol))),
      });
    });

    it("come again as another revision when their day has changed, and the one before stays as it was", async () => {
      const before = await app.call("/api/v1/files/premiums/2026-11-24/1.csv");
      const hour = END - 5 * HOUR;
      const why = { reason: "test", actor: "test", series: `premium/${APPLE.assetKey}` };
      await retract(
        { db: app.db, assets: ASSETS, now: () => NOW * 1_000 },
        { ...why, from: hour, to: hour + HOUR },
      );
      expect(await publish(at(NOW))).to.equal(1);
      expect(await names("?from=2026-11-24&dataset=premiums")).to.eql([
        "2026-11-24 premiums 1",
        "2026-11-24 premiums 2",
      ]);
      expect((await app.call("/api/v1/files/premiums/2026-11-24/1.csv")).text).to.equal(before.text);
      const after = (await app.call("/api/v1/files/premiums/2026-11-24/2.csv")).text;
      expect(after).to.contain("# revision: 2\r\n");
      expect(after.trimEnd().split("\r\n")).to.have.length(before.text.trimEnd().split("\r\n").length - 1);
      // Nothing new in a sample that was known: no revision.
      await premiumsAt(app.db, NOW, [
        premiumSample("gone", END - HOUR + 60, {
          tokenPriceUsd: `${100 + ((END - HOUR + 60) % 7_919) / 1_000}`,
        }),
      ]);
      expect(await publish(at(NOW))).to.equal(0);
    });

    it("are listed in pages that together are the whole, also as CSV", async () => {
      const all = await manifest();
      const listed = [];
      for (let path = "?limit=2"; ; ) {
        const { body, headers } = await get(path);
        listed.push(...body.files);
        const link = headers.get("link")?.match(/^<(\?[^>]+)>; rel="next"$/)?.[1];
        expect(link === undefined).to.equal(body.next_cursor === null);
        if (link === undefined) break;
        path = link;
      }
      expect(listed).to.eql(all);
      expect(
        await duckOne(
          (await get("?format=csv")).text,
          "select count(*)::int as n, sum(bytes)::int as bytes from file",
        ),
      ).to.eql({
        n: all.length,
        bytes: all.reduce((sum: number, { bytes }: any) => sum + bytes, 0),
      });
    });

    it("read as they were published, also by the version after: the words of their head are kept with them", async () => {
      const meta = {
        ...{ dataset: "bases", day: "2020-01-02", revision: 3, made_at: "2020-01-03T00:15:00.000Z" },
        ...{ attribution: "Assay, as it was called then.", licence: "as published" },
        ...{ units: { t: "unix seconds" }, columns: ["underlying", "t", "basis", "halted"] },
      };
      const rows = [
        { underlying: 'A"B', t: 1_577_923_200, basis: -1.5, halted: false },
        { underlying: "AAPL", t: 1_577_926_800, basis: null, halted: true },
      ];
      const ndjson = [{ meta }, ...rows].map((line) => `${JSON.stringify(line)}\n`).join("");
      const csv = [
        ...["# dataset: bases", "# attribution: Assay, as it was called then.", "# licence: as published"],
        ...["# day: 2020-01-02", "# revision: 3", "# unit of t: unix seconds"],
        "# window: from 2020-01-02T00:00:00.000Z to 2020-01-03T00:00:00.000Z",
        ...["# generated_at: 2020-01-03T00:15:00.000Z", "underlying,t,basis,halted"],
        ...['"A""B",1577923200,-1.5,false', "AAPL,1577926800,,true", ""],
      ].join("\r\n");
      const body = brotliCompressSync(ndjson.slice(ndjson.indexOf("\n") + 1)).toString("base64");
      const told = { csv_sha256: "", csv_bytes: csv.length, ndjson_sha256: "", ndjson_bytes: ndjson.length };
      await app.db
        .insertInto("data_files")
        .values({
          ...{ dataset: "bases", day: "2020-01-02", revision: 3, made_at: 1, content: "", rows: 2 },
          ...{ meta: JSON.stringify(meta), body, ...told },
        })
        .execute();
      expect((await app.call("/api/v1/files/bases/2020-01-02/3.csv")).text).to.equal(csv);
      expect((await app.call("/api/v1/files/bases/2020-01-02/3.ndjson")).text).to.equal(ndjson);
    });

    it("are 404 where there is none, 400 for what the manifest does not know, and need a key", async () => {
      for (const path of [
        "/premiums/2026-11-24/9.csv",
        "/premiums/2026-11-24/1.xml",
        "/other/2026-11-24/1.csv",
        "/premiums/soon/1.csv",
      ])
        expect((await get(path)).body.code, path).to.equal("not_found");
      for (const query of ["?days=3", "?dataset=x", "?from=2026-11-24T00:00:00Z", "?limit=501", "?cursor=x"])
        expect((await get(query)).status, query).to.equal(400);
      for (const path of ["", "/premiums/2026-11-24/1.csv"])
        expect((await get(path, null)).status).to.equal(401);
    });
  });
});
