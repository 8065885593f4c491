/** The log as everybody reads it: checkpoints, tiles and entries of what is signed. Nothing else is ever shown. */
import { vkeyText } from "../../attestor/log/note.ts";
import { inclusionProof } from "../../attestor/log/proving.ts";
import { bundleOf, type Tile, tileIn } from "../../attestor/log/tiles.ts";
import { tlogProofText } from "../../attestor/log/tlogProof.ts";
import { utf8 } from "../../attestor/values/bytes.ts";
import type { Caches } from "../../chain/caches.ts";
import type { Database } from "../../database/open.ts";
import {
  entriesOfEvidence,
  entryOfReport,
  findLogTree,
  type Logged,
  placeOf,
  readEntries,
} from "./entries.ts";
import { FAST_HASHER } from "./hasher.ts";
import type { LogSigner } from "./key.ts";
import { createTreeReader, type TreeReader } from "./tiles.ts";

/** Each is null where there is nothing. */
export type LogAnswers = ReturnType<typeof createLogAnswers>;

/** @param origin what the log is called when it begins */
export function createLogAnswers(deps: {
  readonly db: Database;
  readonly signer: LogSigner;
  readonly origin: string;
  readonly caches: Caches;
}) {
  const { db, signer } = deps;
  const tree = createTreeReader(db, deps.caches);

  /** Whether the log has signed a tree with that tile. */
  async function isSigned({ level, index, width }: Tile): Promise<boolean> {
    const signedSize = (await findLogTree(db))?.signed_size ?? 0;
    const standing = tileIn(level, index, signedSize);
    return standing !== null && width <= standing.width;
  }

  return {
    checkpoint: async () => (await findLogTree(db))?.checkpoint ?? null,
    /** The newest that witnesses signed too. */
    cosigned: async () => (await findLogTree(db))?.cosigned ?? null,
    vkey: async () => `${vkeyText(signer.keyOf((await findLogTree(db))?.origin ?? deps.origin))}\n`,
    tile: async (tile: Tile) => ((await isSigned(tile)) ? await tree.tile(tile) : null),
    /** Of `tile.level` 0. */
    async entries(tile: Tile) {
      if (!(await isSigned(tile))) return null;
      const texts = await readEntries(db, tile.index * 256, tile.width);
      return bundleOf(texts.map(utf8));
    },
    /** The signed entries of an evidence hash. */
    async find(evidenceHash: string) {
      const found = await findLogTree(db);
      if (found === undefined || found.checkpoint === null) return [];
      const { origin, signed_size: size, checkpoint } = found;
      const nodes = tree.nodes(size);
      const signed = (await entriesOfEvidence(db, evidenceHash)).filter(({ position }) => position < size);
      return await Promise.all(
        signed.map(async ({ position, entry }) => {
          const path = await inclusionProof(position, size, nodes, FAST_HASHER);
          const proof = tlogProofText({ index: position, path, checkpoint });
          return { origin, index: position, entry, proof };
        }),
      );
    },
  };
}

/** Proof of a report by the newest checkpoint, a cosigned one before others; null while there is none. */
export async function proofOfReport(db: Database, tree: TreeReader, report: Logged): Promise<string | null> {
  const entry = entryOfReport(report);
  const position = entry === null ? null : await placeOf(db, report.evidenceHash, entry);
  const found = position === null ? undefined : await findLogTree(db);
  if (position === null || found === undefined) return null;
  const [size, checkpoint] =
    found.cosigned_size > position
      ? [found.cosigned_size, found.cosigned]
      : [found.signed_size, found.checkpoint];
  if (size <= position || checkpoint === null) return null;
  const path = await inclusionProof(position, size, tree.nodes(size), FAST_HASHER);
  return tlogProofText({ index: position, path, checkpoint });
}
