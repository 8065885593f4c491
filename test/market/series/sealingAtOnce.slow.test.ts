/** After faults and concurrent runs, every point is in its tree, every root in the log once, every hour final. */
import { expect } from "chai";
import type { KyselyPlugin } from "kysely";
import { addPointsEntry } from "../../../api/log/entries.ts";
import { toHex } from "../../../attestor/evm/hash.ts";
import { pointsEntryText } from "../../../attestor/log/entry.ts";
import { Frontier } from "../../../attestor/log/frontier.ts";
import { HASHER } from "../../../attestor/log/hasher.ts";
import { isIncluded } from "../../../attestor/log/merkle.ts";
import { pathOf } from "../../../attestor/points/hourTree.ts";
import { POINT_SCHEMA, pointText } from "../../../attestor/points/point.ts";
import { utf8 } from "../../../attestor/values/bytes.ts";
import type { Database } from "../../../database/open.ts";
import { RepairError, recompute, retract } from "../../../market/collect/repair.ts";
import { contentText, readContent } from "../../../market/series/pointContent.ts";
import { closedTree } from "../../../market/series/pointTrees.ts";
import { saidHours } from "../../../market/series/saidHours.ts";
import { sealHours } from "../../../market/series/sealing.ts";
import { forEachEngine } from "../../support/database.ts";
import { premiumSample, premiumsAt } from "../../support/samples.ts";

const HOUR = 3_600;
const START = 1_795_003_200;
const ASSET = "eip155:1:0xA";
const SERIES = `premium/${ASSET}`;

async function check(db: Database): Promise<void> {
  const rows = await db
    .selectFrom("points")
    .innerJoin("series", "series.id", "points.series_id")
    .selectAll()
    .execute();
  const waiting = (await db.selectFrom("log_waiting").select("entry").execute()).map(({ entry }) => entry);
  const hours = await db.selectFrom("point_hours").selectAll().execute();
  expect(waiting).to.have.length(hours.length);
  for (const { hour, count, root } of hours) {
    const own = rows
      .filter(({ changed_at }) => Math.floor(changed_at / HOUR) === hour)
      .sort((a, b) => a.position - b.position);
    expect(own.map(({ position }) => position)).to.deep.equal(Array.from({ length: count }, (_, n) => n));
    const frontier = new Frontier(0, []);
    const tree = (await closedTree(
      db,
      hour,
      own.map(({ position }) => position),
    ))!;
    for (const { name, hour: t, revision, changed_at, content, position } of own) {
      const leaf = HASHER.leaf(
        utf8(
          pointText({
            schema: POINT_SCHEMA,
            series: name,
            t: t * HOUR,
            revision,
            changedAt: changed_at,
            hour: content === null ? null : readContent(name, content),
          }),
        ),
      );
      frontier.append(leaf);
      const path = await pathOf(position, tree.tiles.get(Math.floor(position / 256))!, tree.roots);
      expect(
        isIncluded({
          index: position,
          size: count,
          leafHash: leaf,
          proof: path,
          root: Uint8Array.from(Buffer.from(root!.slice(2), "hex")),
        }),
      ).to.equal(true);
    }
    expect(root).to.equal(toHex(frontier.root()));
    expect(waiting).to.include(pointsEntryText({ hour: hour * HOUR, count, root: root! }));
  }
  expect(await db.selectFrom("changed_hours").selectAll().execute()).to.deep.equal([]);
  const buckets = await db
    .selectFrom("hour_buckets")
    .innerJoin("series", "series.id", "hour_buckets.series_id")
    .select(["series_id", "hour", "name", "revision", "changed_at"])
    .execute();
  const newest = new Map(
    rows.sort((a, b) => a.revision - b.revision).map((row) => [`${row.series_id}/${row.hour}`, row]),
  );
  const standing =
    buckets.length === 0
      ? new Map()
      : await saidHours(
          db,
          buckets.map((b) => ({ seriesId: b.series_id, hour: b.hour, series: b.name })),
        );
  for (const b of buckets) {
    const last = newest.get(`${b.series_id}/${b.hour}`)!;
    expect([b.revision, b.changed_at]).to.deep.equal([last.revision, last.changed_at]);
    expect(last.content).to.equal(contentText(b.name, standing.get(`${b.series_id}/${b.hour}`)!));
    newest.delete(`${b.series_id}/${b.hour}`);
  }
  for (const { content } of newest.values()) expect(content).to.equal(null);
  for (const [key, list] of Map.groupBy(rows, (r) => `${r.series_id}/${r.hour}`))
    expect(
      list.map(({ revision }) => revision).sort((a, b) => a - b),
      key,
    ).to.deep.equal(list.map((_, n) => n + 1));
}

describe("sealing beside recording, striking and recomputing", () => {
  forEachEngine((engine) => {
    let db: Database;
    beforeEach(async () => {
      db = await engine.create();
    });
    afterEach(() => db.destroy());
    const sealAt = (seconds: number, on = db) =>
      sealHours({ db: on, now: () => seconds * 1_000, addEntry: addPointsEntry });

    it("a statement that fails, whichever it is", async function () {
      this.timeout(120_000);
      const failing = (nth: number) => {
        let seen = 0;
        const plugin: KyselyPlugin = {
          transformQuery: ({ node }) => node,
          async transformResult({ result }) {
            if (++seen === nth) throw new Error("crash");
            return result;
          },
        };
        return db.withPlugin(plugin);
      };
      let failed = 0;
      for (let n = 1; n <= 60; n++) {
        const at = START + n * 3 * HOUR;
        await premiumsAt(
          db,
          at + 100 * HOUR,
          Array.from({ length: 300 }, (_, k) =>
            premiumSample(`t:${k % 7}`, at - HOUR + 60 + (k % 50), { tokenPriceUsd: String(100 + (k % 3)) }),
          ),
        );
        await sealAt(at + HOUR, failing(n)).catch(() => failed++);
        if (n % 2) await sealAt(at + HOUR + 60, failing((n % 9) + 1)).catch(() => failed++);
        await sealAt(at + HOUR + 90);
        if (n % 3 === 0)
          await premiumsAt(db, at + 100 * HOUR, [
            premiumSample("t:1", at - HOUR + 3_000 - n, { tokenPriceUsd: "103" }),
          ]);
        await sealAt(at + 2 * HOUR, failing(n % 13)).catch(() => failed++);
        await sealAt(at + 2 * HOUR + 1);
      }
      await sealAt(START + 1_000 * HOUR);
      await sealAt(START + 1_001 * HOUR);
      await check(db);
    });

    it("loses nothing when all go on at once", async function () {
      this.timeout(120_000);
      let clock = START + 30 * HOUR;
      const random = (n: number) => Math.floor(Math.random() * n);
      const errors: unknown[] = [];
      const until = Date.now() + 5_000;
      const again = async (work: () => Promise<unknown>) => {
        while (Date.now() < until) {
          await work().catch((error) => errors.push(error));
          await new Promise((r) => setTimeout(r, random(8)));
        }
      };
      const anyHour = () => START + random(30) * HOUR;
      const deps = { db, assets: [], now: () => clock * 1_000 };
      await Promise.all([
        again(async () => {
          clock += random(120);
          await sealAt(clock);
        }),
        ...[1, 2].map(() =>
          again(() =>
            premiumsAt(
              db,
              clock,
              Array.from({ length: 5 }, () =>
                premiumSample(ASSET, anyHour() + random(4) * 600, {
                  tokenPriceUsd: String(99 + random(4)),
                  source: "ab"[random(2)]!,
                }),
              ),
            ),
          ),
        ),
        again(() => recompute(deps, { series: "premium", from: anyHour(), to: START + 31 * HOUR })),
        again(async () => {
          await new Promise((r) => setTimeout(r, 400));
          const at = anyHour();
          return retract(deps, { series: SERIES, from: at + 600, to: at + 601, reason: "t", actor: "t" });
        }),
      ]);
      // What is not there cannot be made again or retracted; nothing else fails.
      for (const error of errors) expect(error).to.be.instanceOf(RepairError);
      await sealAt(clock + 2 * HOUR);
      await sealAt(clock + 4 * HOUR);
      await check(db);
    });
  });
});
