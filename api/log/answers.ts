/** The log as everybody reads it: checkpoints, tiles and entries of what is signed. Nothing else is ever shown. */
import { vkeyText } from "../../attestor/log/note.ts";
import { inclusionProof } from "../../attestor/log/proving.ts";
import { bundleOf, type Tile, tileIn } from "../../attestor/log/tiles.ts";
import { tlogProofText } from "../../attestor/log/tlogProof.ts";
import { utf8 } from "../../attestor/values/bytes.ts";
import type { UnixMs } from "../../attestor/values/time.ts";
import type { Caches } from "../../chain/caches.ts";
import type { Database } from "../../database/open.ts";
import { entriesOfEvidence, readEntries } from "./entries.ts";
import { FAST_HASHER } from "./hasher.ts";
import type { LogSigner } from "./key.ts";
import { createTreeReader } from "./nodes.ts";
import { findShard, newestShard, type Shard, shardNamed, yearOf } from "./shards.ts";

/** `name` is a log's, such as `2026`; undefined: the running one. null where there is nothing. */
export type LogAnswers = ReturnType<typeof createLogAnswers>;

/** @param base what the logs of this service have in common */
export function createLogAnswers(deps: {
  readonly db: Database;
  readonly signer: LogSigner;
  readonly base: string;
  readonly caches: Caches;
  now(): UnixMs;
}) {
  const { db, signer } = deps;
  const tree = createTreeReader(db, deps.caches);
  const named = (name: string | undefined) => (name === undefined ? newestShard(db) : shardNamed(db, name));

  /** The log, where it has signed a tree with that tile. */
  async function signedWith(name: string | undefined, tile: Tile): Promise<Shard | null> {
    const shard = await named(name);
    const standing = shard && tileIn(tile.level, tile.index, shard.signed_size);
    return shard && standing && tile.width <= standing.width ? shard : null;
  }

  return {
    checkpoint: async (name: string | undefined) => (await named(name))?.checkpoint ?? null,
    /** The newest that witnesses signed too. */
    cosigned: async (name: string | undefined) => (await named(name))?.cosigned ?? null,
    async vkey(name: string | undefined) {
      const shard = await named(name);
      if (shard !== undefined) return `${vkeyText(signer.keyOf(shard.origin))}\n`;
      // Before the first entry: what the first log will be called.
      return name === undefined ? `${vkeyText(signer.keyOf(`${deps.base}/${yearOf(deps.now())}`))}\n` : null;
    },
    async tile(name: string | undefined, tile: Tile) {
      const shard = await signedWith(name, tile);
      return shard && (await tree.tile(shard.id, tile));
    },
    /** Of `tile.level` 0. */
    async entries(name: string | undefined, tile: Tile) {
      const shard = await signedWith(name, tile);
      if (shard === null) return null;
      const texts = await readEntries(db, shard.id, tile.index * 256, tile.width);
      return bundleOf(texts.map(utf8));
    },
    /** The signed entries of an evidence hash. */
    async find(evidenceHash: string) {
      const found = await Promise.all(
        (await entriesOfEvidence(db, evidenceHash)).map(async ({ shard: id, position, entry }) => {
          const shard = await findShard(db, id);
          if (shard === undefined || shard.checkpoint === null || position >= shard.signed_size) return null;
          const nodes = tree.nodes(id, shard.signed_size);
          const path = await inclusionProof(position, shard.signed_size, nodes, FAST_HASHER);
          const proof = tlogProofText({ index: position, path, checkpoint: shard.checkpoint });
          return { origin: shard.origin, index: position, entry, proof };
        }),
      );
      return found.filter((each) => each !== null);
    },
  };
}
