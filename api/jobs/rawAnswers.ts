/**
 * The raw answers behind the evidence: what each `rawHash` commits to, stored once by its hash. Answers come in while the
 * facts are gathered and are compressed beside; those that a report names go into its transaction, in one statement.
 */
import { promisify } from "node:util";
import { brotliCompress, brotliDecompress, constants } from "node:zlib";
import { getBytes, keccak256 } from "ethers";
import { LRUCache } from "lru-cache";
import type { Evidence } from "../../attestor/evidence/evidence.ts";
import type { Facts } from "../../attestor/evidence/facts.ts";
import type { KeepRaw } from "../../chain/facts/rawAnswers.ts";
import type { Database } from "../../database/open.ts";

/** Answers are used for half a minute at most; compressed they have some kilobytes. */
const MAX_RECENT_BYTES = 32 * 1024 * 1024;
const MAX_STORED = 10_000;
/** What was stored within it is not stored again; so much longer than asked for an answer is kept. */
const AGAIN_AFTER_SECONDS = 86_400;
const QUALITY = 4;

/** The parts that name raw answers by their hash. */
type NamesAnswers = Pick<Facts, "references" | "settlement" | "token">;

export interface RawAnswers {
  readonly keep: KeepRaw;
  /** Resolves when what these facts name is compressed, so that no transaction has to wait for it. */
  ready(facts: NamesAnswers): Promise<void>;
  /**
   * Stores what the evidence names, as far as it came in lately and is not stored yet.
   * @param trx the report's transaction
   * @throws DatabaseUnavailable
   */
  store(trx: Database, evidence: Evidence): Promise<void>;
  /** Call it once the transaction is committed: what it stored is not stored again for a day. */
  committed(evidence: Evidence): void;
}

export function createRawAnswers(): RawAnswers {
  const recent = new LRUCache<string, { size: number; body: Promise<Buffer> }>({
    maxSize: MAX_RECENT_BYTES,
    sizeCalculation: ({ size }) => size,
  });
  const stored = new LRUCache<string, number>({ max: MAX_STORED });
  const isDue = (hash: string, now: number) => now - (stored.get(hash) ?? 0) >= AGAIN_AFTER_SECONDS;
  return {
    keep(raw) {
      const hash = keccak256(raw);
      if (!recent.has(hash)) {
        const bytes = typeof raw === "string" ? getBytes(raw) : raw;
        recent.set(hash, { size: bytes.length + 1, body: compressed(bytes) });
      }
      return hash;
    },
    async ready(facts) {
      await Promise.all(hashesIn(facts).map((hash) => recent.get(hash)?.body));
    },
    async store(trx, evidence) {
      const now = evidence.capturedAt;
      const rows = await Promise.all(
        inOrder(hashesIn(evidence).filter((hash) => isDue(hash, now))).flatMap((hash) => {
          const answer = recent.get(hash);
          return answer === undefined ? [] : [answer.body.then((body) => rowOf(hash, body, now))];
        }),
      );
      if (rows.length === 0) return;
      await trx
        .insertInto("raw_answers")
        .values(rows)
        .onConflict((conflict) => conflict.column("hash").doUpdateSet({ kept_at: now }))
        .execute();
    },
    committed(evidence) {
      const now = evidence.capturedAt;
      for (const hash of hashesIn(evidence)) if (isDue(hash, now) && recent.has(hash)) stored.set(hash, now);
    },
  };
}

const rowOf = (hash: string, body: Buffer, now: number) => ({
  hash,
  body: body.toString("base64"),
  kept_at: now,
});

const compressed = (bytes: Uint8Array): Promise<Buffer> =>
  promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } });

/** Each once, in order: two transactions that store the same must not wait for each other. */
export function rawHashesOf(evidence: Evidence): string[] {
  return inOrder(hashesIn(evidence));
}

const inOrder = (hashes: readonly string[]): string[] => [...new Set(hashes)].sort();

function hashesIn({ references, settlement, token }: NamesAnswers): string[] {
  const named = [...references, ...settlement, token.factor, token.announcement, ...token.halts];
  return named.flatMap((one) => (one === null ? [] : [one.rawHash]));
}

/** The bytes that the hash commits to; null where they are not kept. @param hash lower case */
export async function findRawAnswer(db: Database, hash: string): Promise<Buffer | null> {
  const row = await db.selectFrom("raw_answers").select("body").where("hash", "=", hash).executeTakeFirst();
  return row === undefined ? null : promisify(brotliDecompress)(Buffer.from(row.body, "base64"));
}
