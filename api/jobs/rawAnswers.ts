/**
 * The raw answers behind the evidence: what each `rawHash` commits to, stored once by its hash. Answers come in while the
 * facts are gathered; those that a report names are compressed beside, and go into its transaction in one statement.
 */
import { promisify } from "node:util";
import { brotliCompress, brotliDecompress, constants } from "node:zlib";
import { getBytes } from "ethers";
import type { Evidence } from "../../attestor/evidence/evidence.ts";
import type { Facts } from "../../attestor/evidence/facts.ts";
import { keccak256 } from "../../attestor/evm/hash.ts";
import { type Caches, ownBytes } from "../../chain/caches.ts";
import { MEMO_MS } from "../../chain/facts/blockMemo.ts";
import type { KeepRaw } from "../../chain/facts/rawAnswers.ts";
import type { Database } from "../../database/open.ts";

/** Facts that are remembered name their answers for as long; the other half is for who judges by them. */
const RECENT = { maxBytes: 32 * 1024 * 1024, lifetimeMs: 2 * MEMO_MS };
/** What was stored within it is not stored again; so much longer than asked for an answer is kept. */
const AGAIN_AFTER_SECONDS = 86_400;
const STORED = { maxBytes: 4 * 1024 * 1024, lifetimeMs: AGAIN_AFTER_SECONDS * 1_000 };
const QUALITY = 4;
/** Of a buffer, beside its bytes. */
const BUFFER_BYTES = 200;

/** The parts that name raw answers by their hash. */
type NamesAnswers = Pick<Facts, "references" | "settlement" | "token" | "failures">;

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

/** An answer as it came, and as it is stored once a report names it. */
interface Recent {
  readonly bytes: Buffer;
  readonly body: string | null;
}

export function createRawAnswers(caches: Caches): RawAnswers {
  const recent = caches.open<Recent>("raw answers", {
    ...RECENT,
    sizeOf: ({ bytes, body }) => BUFFER_BYTES + bytes.length + (body?.length ?? 0),
  });
  const stored = caches.open<number>("stored raw answers", { ...STORED, sizeOf: () => 8 });
  const bodyOf = async (hash: string): Promise<string | null> => {
    const answer = recent.get(hash);
    if (answer === undefined) return null;
    const body = answer.body ?? (await compressed(answer.bytes));
    recent.set(hash, { ...answer, body });
    return body;
  };
  const isDue = (hash: string, now: number) => now - (stored.get(hash) ?? 0) >= AGAIN_AFTER_SECONDS;
  return {
    keep(raw) {
      const hash = inOnePiece(keccak256(raw));
      const known = recent.get(hash);
      const bytes = () => ownBytes(typeof raw === "string" ? getBytes(raw) : raw);
      recent.set(hash, known ?? { bytes: bytes(), body: null });
      return hash;
    },
    async ready(facts) {
      const due = hashesIn(facts).filter((hash) => !stored.has(hash));
      await Promise.all(due.map(bodyOf));
    },
    async store(trx, evidence) {
      const now = evidence.capturedAt;
      const due = inOrder(hashesIn(evidence).filter((hash) => isDue(hash, now)));
      const bodies = await Promise.all(due.map(bodyOf));
      const rows = due.flatMap((hash, index) => {
        const body = bodies[index] ?? null;
        return body === null ? [] : [{ hash, body, kept_at: now }];
      });
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

const compressed = async (bytes: Uint8Array): Promise<string> =>
  (
    await promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } })
  ).toString("base64");

/** The library's text is a chain of its digits, which takes a kilobyte. */
const inOnePiece = (hex: string): string => Buffer.from(hex, "latin1").toString("latin1");

/** Each once, in order: two transactions that store the same must not wait for each other. */
const inOrder = (hashes: readonly string[]): string[] => [...new Set(hashes)].sort();

function hashesIn({ references, settlement, token, failures }: NamesAnswers): string[] {
  const told = [token.factor, token.announcement, ...token.halts];
  return [...references, ...settlement, ...told, ...failures].flatMap((one) => one?.rawHash ?? []);
}

/** The bytes that the hash commits to; null where they are not kept. @param hash lower case */
export async function findRawAnswer(db: Database, hash: string): Promise<Buffer | null> {
  const row = await db.selectFrom("raw_answers").select("body").where("hash", "=", hash).executeTakeFirst();
  return row === undefined ? null : promisify(brotliDecompress)(Buffer.from(row.body, "base64"));
}
