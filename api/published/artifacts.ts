/** What anybody may read by its hash, finished for HTTP. */

import { SampleBatch } from "../../attestor/evidence/samples.ts";
import { canonicalJson } from "../../attestor/values/canonical.ts";
import type { UnixMs } from "../../attestor/values/time.ts";
import type { Caches } from "../../chain/caches.ts";
import type { Database } from "../../database/open.ts";
import { createCache, type Finished, finish } from "../http/cache.ts";
import { Problem } from "../http/problems.ts";
import { unpacked } from "../jobs/attachments.ts";
import { findDefinition } from "../jobs/definitions.ts";
import type { DecisionLog } from "../log/log.ts";
import type { Config } from "../settings/config.ts";
import { findPublicEvidence } from "./publicTrades.ts";

/** How long an answer is held here; clients keep it for a year. What retention took is gone as soon. */
const LIFETIME_MS = 60_000;
const MAX_CACHE_BYTES = 16 * 1024 * 1024;

export interface ArtifactDeps {
  readonly db: Database;
  readonly log: Pick<DecisionLog, "proofOf">;
  readonly caches: Caches;
  now(): UnixMs;
  readonly publicEvidence: Config["publicEvidence"];
}

export interface Artifact {
  readonly finished: Finished;
  /** Whether the answer is the same forever. */
  readonly isFinal: boolean;
}

/** What will read otherwise: it reaches those who asked, and is not held. */
class Unfinished extends Error {
  readonly text: string;
  constructor(text: string) {
    super("this answer is not final");
    this.text = text;
  }
}

/** Each throws Problem `not_found`, which tells nothing of why, and DatabaseUnavailable. */
export function createArtifacts({ db, log, now, publicEvidence, caches }: ArtifactDeps) {
  const cache = createCache({
    caches,
    name: "artifacts",
    now,
    lifetimeMs: LIFETIME_MS,
    maxBytes: MAX_CACHE_BYTES,
  });
  async function found(key: string, find: () => Promise<string | null>): Promise<Artifact> {
    try {
      const finished = await cache.get(key, async () => {
        const text = await find();
        if (text === null) throw nothingHere();
        return text;
      });
      return { finished, isFinal: true };
    } catch (error) {
      if (error instanceof Unfinished) return { finished: finish(error.text), isFinal: false };
      throw error;
    }
  }
  return {
    /** A document as `assay verify` reads it: the report with its `execution`. */
    evidence: async (hash: string) => {
      if (publicEvidence === "off") throw nothingHere();
      return found(`evidence/${hash}`, async () => {
        const evidence = await findPublicEvidence(db, log, hash);
        if (evidence === null) return null;
        const text = canonicalJson(evidence.report);
        if (!evidence.isFinal) throw new Unfinished(text);
        return text;
      });
    },
    registry: (hash: string) => found(`registry/${hash}`, () => findDefinition(db, "registry", hash)),
    policy: (hash: string) => found(`policy/${hash}`, () => findDefinition(db, "policy", hash)),
    samples: (root: string) => found(`samples/${root}`, () => findSamples(db, root)),
  };
}

/** Word for word what a path says at which there is nothing. */
const nothingHere = () => new Problem("not_found", "there is nothing at this path");

/** The canonical JSON that hashes to the root; null where no report that is kept rests on such a batch. */
async function findSamples(db: Database, root: string): Promise<string | null> {
  const row = await db
    .selectFrom("sample_batches")
    .select("body")
    .where("root", "=", root)
    .executeTakeFirst();
  return row === undefined ? null : canonicalJson(SampleBatch.parse(unpacked(row.body)));
}
