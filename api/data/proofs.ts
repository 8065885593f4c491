/** Proofs that points were signed: from a point to the root of the hour in which it was written, and from that to the log. */
import { toHex } from "../../attestor/evm/hash.ts";
import { pointsEntryText } from "../../attestor/log/entry.ts";
import { TILE_WIDTH } from "../../attestor/log/tiles.ts";
import { pathOf } from "../../attestor/points/hourTree.ts";
import { POINT_SCHEMA, pointText } from "../../attestor/points/point.ts";
import type { PointProof } from "../../attestor/points/proof.ts";
import type { Database } from "../../database/open.ts";
import { HOUR_SECONDS } from "../../market/series/buckets.ts";
import type { SealedAt, StatedHour } from "../../market/series/points.ts";
import { closedTree } from "../../market/series/pointTrees.ts";
import { storedProof } from "../log/log.ts";
import { createTreeReader } from "../log/nodes.ts";

/**
 * The proof of each hour, in their order; null: the log has not signed it yet.
 * @throws DatabaseUnavailable
 */
export async function pointProofs(
  db: Database,
  series: string,
  hours: readonly StatedHour[],
): Promise<(PointProof | null)[]> {
  const written = new Map<number, SealedAt[]>();
  for (const { sealed } of hours) {
    if (sealed === null) continue;
    const hour = Math.floor(sealed.changedAt / HOUR_SECONDS);
    const known = written.get(hour);
    if (known === undefined) written.set(hour, [sealed]);
    else known.push(sealed);
  }
  const signed = new Map<number, Awaited<ReturnType<typeof signedTree>>>();
  for (const [hour, sealed] of written) signed.set(hour, await signedTree(db, hour, sealed));
  return await Promise.all(
    hours.map(async ({ hour: t, said, sealed }) => {
      const tree = sealed && signed.get(Math.floor(sealed.changedAt / HOUR_SECONDS));
      if (sealed === null || !tree) return null;
      const { revision, changedAt, position: index } = sealed;
      const { hour, count: size, root, entry, log_proof } = tree;
      const tile = tree.tiles.get(Math.floor(index / TILE_WIDTH)) as Uint8Array;
      const path = (await pathOf(index, tile, tree.roots)).map(toHex);
      const leaf = pointText({ schema: POINT_SCHEMA, series, t, revision, changedAt, hour: said });
      return { leaf, index, size, path, root, hour, entry, log_proof };
    }),
  );
}

/** The tree of an hour with its place in the log; null: not closed, or not signed. */
async function signedTree(db: Database, hour: number, sealed: readonly SealedAt[]) {
  const tree = await closedTree(
    db,
    hour,
    sealed.map(({ position }) => position),
  );
  if (tree === null) return null;
  const entry = pointsEntryText({ hour: tree.hour, count: tree.count, root: tree.root });
  const log_proof = await storedProof(db, createTreeReader(db), tree.root, entry);
  return log_proof === null ? null : { ...tree, entry, log_proof };
}
