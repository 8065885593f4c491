/** What anybody may read by its hash, finished for HTTP. */
import { canonicalJson } from "../../attestor/canonical.ts";
import type { Database } from "../../database/open.ts";
import { createCache, type Finished } from "../http/cache.ts";
import { Problem } from "../http/problems.ts";
import type { Config } from "../settings/config.ts";
import { findDefinition } from "./definitions.ts";
import { findPublicEvidence } from "./publicEvidence.ts";
import { findSamples } from "./samples.ts";

/** How long an answer is held here; clients keep it for a year. What retention took is gone as soon. */
const LIFETIME_MS = 60_000;
const MAX_CACHE_BYTES = 16 * 1024 * 1024;

export interface ArtifactDeps {
  readonly db: Database;
  /** Unix milliseconds. */
  now(): number;
  readonly publicEvidence: Config["publicEvidence"];
}

/** Each throws Problem `not_found`, which tells nothing of why, and DatabaseUnavailable. */
export interface Artifacts {
  /** A document as `assay verify` reads it: the report with its `execution`. */
  evidence(hash: string): Promise<Finished>;
  registry(hash: string): Promise<Finished>;
  policy(hash: string): Promise<Finished>;
  samples(root: string): Promise<Finished>;
}

export function createArtifacts({ db, now, publicEvidence }: ArtifactDeps): Artifacts {
  const cache = createCache({ now, lifetimeMs: LIFETIME_MS, maxBytes: MAX_CACHE_BYTES });
  const found = (key: string, find: () => Promise<string | null>) =>
    cache.get(key, async () => {
      const text = await find();
      if (text === null) throw nothingHere();
      return text;
    });
  return {
    evidence: async (hash) => {
      if (publicEvidence === "off") throw nothingHere();
      return found(`evidence/${hash}`, async () => {
        const document = await findPublicEvidence(db, hash);
        return document && canonicalJson(document);
      });
    },
    registry: (hash) => found(`registry/${hash}`, () => findDefinition(db, "registry", hash)),
    policy: (hash) => found(`policy/${hash}`, () => findDefinition(db, "policy", hash)),
    samples: (root) => found(`samples/${root}`, () => findSamples(db, root)),
  };
}

/** Word for word what a path says at which there is nothing. */
const nothingHere = () => new Problem("not_found", "there is nothing at this path");
