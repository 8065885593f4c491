/** The trees over the points that were written in an hour: leaves are appended while it runs, and its end gives the root. */
import { concatBytes } from "@noble/hashes/utils.js";
import type { Transaction } from "kysely";
import { toHex } from "../../attestor/evm/hash.ts";
import { HASH_LENGTH } from "../../attestor/log/hasher.ts";
import { TILE_WIDTH } from "../../attestor/log/tiles.ts";
import { rootOver } from "../../attestor/points/hourTree.ts";
import type { Database } from "../../database/open.ts";
import { asGiven } from "../../database/rows.ts";
import type { Schema } from "../../database/schema.ts";
import { HOUR_SECONDS, lockSeries } from "./buckets.ts";

/** An hour whose tree is closed, as the decision log says it. */
export interface HourRoot {
  /** Unix seconds, start of the hour. */
  readonly hour: number;
  /** Leaves. */
  readonly count: number;
  /** `0x` and hexadecimal. */
  readonly root: string;
}

export interface Leaves {
  /** Unix seconds / 3600. */
  readonly hour: number;
  readonly count: number;
}

/** How many leaves an hour has; null: its tree is closed. */
export async function leavesOf(transaction: Database, hour: number): Promise<Leaves | null> {
  const row = await transaction
    .selectFrom("point_hours")
    .select(["count", "root"])
    .where("hour", "=", hour)
    .executeTakeFirst();
  if (row !== undefined && row.root !== null) return null;
  return { hour, count: row?.count ?? 0 };
}

/** @param hashes of the leaves that follow those there are */
export async function appendLeaves(
  transaction: Database,
  { hour, count }: Leaves,
  hashes: readonly Uint8Array[],
): Promise<void> {
  const first = Math.floor(count / TILE_WIDTH);
  const begun = await transaction
    .selectFrom("point_tiles")
    .select("hashes")
    .where((eb) => eb.and({ hour, tile: first }))
    .executeTakeFirst();
  const all = concatBytes(bytesOf(begun?.hashes ?? ""), ...hashes);
  const width = TILE_WIDTH * HASH_LENGTH;
  const rows = Array.from({ length: Math.ceil(all.length / width) }, (_, index) => ({
    hour,
    tile: first + index,
    hashes: Buffer.from(all.subarray(index * width, (index + 1) * width)).toString("base64"),
  }));
  await transaction
    .insertInto("point_tiles")
    .values(rows)
    .onConflict((conflict) => conflict.columns(["hour", "tile"]).doUpdateSet(asGiven(["hashes"])))
    .execute();
  const total = count + hashes.length;
  await transaction
    .insertInto("point_hours")
    .values({ hour, count: total, root: null })
    .onConflict((conflict) => conflict.column("hour").doUpdateSet({ count: total }))
    .execute();
}

/**
 * Closes the trees of the hours before one: each gets its root and its entry, once.
 * @param before unix seconds / 3600
 * @throws DatabaseUnavailable
 */
export async function closeHours(
  db: Database,
  before: number,
  addEntry: (transaction: Transaction<Schema>, root: HourRoot) => Promise<void>,
): Promise<void> {
  const open = await db
    .selectFrom("point_hours")
    .select("hour")
    .where("root", "is", null)
    .where("hour", "<", before)
    .orderBy("hour")
    .execute();
  for (const { hour } of open)
    await db.transaction().execute(async (transaction) => {
      // Leaves are appended under the same lock: another process's clock may be behind.
      await lockSeries(transaction);
      const leaves = await leavesOf(transaction, hour);
      // Another process was first.
      if (leaves === null) return;
      const tiles = await transaction
        .selectFrom("point_tiles")
        .select(["tile", "hashes"])
        .where("hour", "=", hour)
        .orderBy("tile")
        .execute();
      const roots: Uint8Array[] = [];
      for (const { tile, hashes } of tiles) {
        const root = await rootOver(bytesOf(hashes));
        roots.push(root);
        await transaction
          .updateTable("point_tiles")
          .set({ root: Buffer.from(root).toString("base64") })
          .where((eb) => eb.and({ hour, tile }))
          .execute();
      }
      const root = toHex(await rootOver(concatBytes(...roots)));
      await transaction.updateTable("point_hours").set({ root }).where("hour", "=", hour).execute();
      await addEntry(transaction, { hour: hour * HOUR_SECONDS, count: leaves.count, root });
    });
}

/** A closed tree, as far as a proof of some leaves needs it. */
export interface ClosedTree extends HourRoot {
  /** Roots of all tiles, one behind the other. */
  readonly roots: Uint8Array;
  /** Hashes of the leaves of the tiles that were asked for, by tile. */
  readonly tiles: ReadonlyMap<number, Uint8Array>;
}

/**
 * @param hour unix seconds / 3600
 * @param positions of leaves
 * @returns null where the hour is not closed
 * @throws DatabaseUnavailable
 */
export async function closedTree(
  db: Database,
  hour: number,
  positions: readonly number[],
): Promise<ClosedTree | null> {
  const row = await db.selectFrom("point_hours").selectAll().where("hour", "=", hour).executeTakeFirst();
  if (row === undefined || row.root === null) return null;
  const wanted = [...new Set(positions.map((position) => Math.floor(position / TILE_WIDTH)))];
  const [roots, tiles] = await Promise.all([
    db.selectFrom("point_tiles").select("root").where("hour", "=", hour).orderBy("tile").execute(),
    db
      .selectFrom("point_tiles")
      .select(["tile", "hashes"])
      .where("hour", "=", hour)
      .where("tile", "in", wanted)
      .execute(),
  ]);
  return {
    ...{ hour: hour * HOUR_SECONDS, count: row.count, root: row.root },
    roots: concatBytes(...roots.map(({ root }) => bytesOf(root ?? ""))),
    tiles: new Map(tiles.map(({ tile, hashes }) => [tile, bytesOf(hashes)])),
  };
}

const bytesOf = (base64: string): Uint8Array => new Uint8Array(Buffer.from(base64, "base64"));
