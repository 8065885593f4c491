/** Finished answers, with their ETag and their compressed forms: kept for a short while, and sent in the coding that a client takes. */
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import Negotiator from "negotiator";
import { type Caches, ownBytes } from "../../chain/caches.ts";
import type { Reply } from "./route.ts";

/** Of an answer, beside its bytes. */
const ANSWER_BYTES = 1_024;

/** A compressed form that a client may ask for. */
export type Coding = "br" | "gzip";

const BROTLI = {
  // Smaller than gzip's 6, and faster.
  [constants.BROTLI_PARAM_QUALITY]: 4,
  [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
};
const GZIP = { level: 6 };

const compress: Record<Coding, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) =>
    promisify(brotliCompress)(bytes, {
      params: { ...BROTLI, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
  gzip: (bytes) => promisify(gzip)(bytes, GZIP),
};

/** An answer's bytes, ready to be sent. */
export type Finished = ReturnType<typeof finish>;

/**
 * @param content as it goes out: the same content has the same ETag, in every process and after a restart
 * @param onGrown called when another form of it was made
 */
export function finish(content: string | Buffer, onGrown: () => void = () => {}) {
  const bytes = typeof content === "string" ? ownBytes(content) : content;
  const forms = new Map<Coding, Promise<Buffer>>();
  let size = ANSWER_BYTES + bytes.length;
  return {
    bytes,
    /** Weak, since the compressed forms share it. */
    etag: `W/"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`,
    /** The bytes in that coding, compressed when first asked for and off the main thread. */
    compressed(coding: Coding) {
      let form = forms.get(coding);
      if (!form) {
        form = compress[coding](bytes).then((compressed) => {
          const body = ownBytes(compressed);
          size += body.length;
          onGrown();
          return body;
        });
        forms.set(coding, form);
      }
      return form;
    },
    /** Bytes of memory that all its forms take so far. */
    size: () => size,
  };
}

export interface CacheDeps {
  readonly caches: Caches;
  /** As of `Caches.open`. */
  readonly name: string;
  /** Milliseconds. */
  now(): number;
  /** How long an answer lives, milliseconds. */
  readonly lifetimeMs: number;
  /** What all answers may take together; those not asked for the longest go first. */
  readonly maxBytes: number;
}

interface Kept {
  readonly finished: Finished;
  readonly madeAt: number;
}

export type Cache = ReturnType<typeof createCache>;

export function createCache({ caches, name, now, lifetimeMs, maxBytes }: CacheDeps) {
  const sizeOf = ({ finished }: Kept) => finished.size();
  const kept = caches.open<Kept>(name, { maxBytes, lifetimeMs, sizeOf });
  const making = new Map<string, Promise<Finished>>();

  const isFresh = (madeAt: number) => {
    const age = now() - madeAt;
    // A clock that was set back must not keep an answer alive.
    return age >= 0 && age < lifetimeMs;
  };

  async function makeAndKeep(key: string, make: () => Promise<string | Buffer>): Promise<Finished> {
    try {
      const madeAt = now();
      const content = await make();
      // Compressed forms come later, and count as well.
      const finished = finish(content, () => {
        if (kept.peek(key)?.finished === finished) kept.set(key, { finished, madeAt }, { noUpdateTTL: true });
      });
      kept.set(key, { finished, madeAt });
      return finished;
    } finally {
      making.delete(key);
    }
  }

  return {
    /**
     * The answer under that key, made by `make` when there is none or it is too old. Concurrent callers wait for the same
     * one. A failure rejects all of them and is not cached.
     */
    async get(key: string, make: () => Promise<string | Buffer>) {
      const entry = kept.get(key);
      if (entry && isFresh(entry.madeAt)) return entry.finished;
      let made = making.get(key);
      if (!made) {
        made = makeAndKeep(key, make);
        making.set(key, made);
      }
      return made;
    },
    /** Bytes held at the moment. */
    size: () => kept.calculatedSize,
  };
}

/** Below this, headers outweigh what compression saves. */
const MIN_COMPRESSED_BYTES = 1_024;

/**
 * @param requestHeaders by lower-case name
 * @param cacheControl for the answer, and for the 304 that is sent in its place to who has it already
 * @param more other headers
 */
export async function replyWith(
  finished: Finished,
  requestHeaders: Readonly<Record<string, string | undefined>>,
  cacheControl: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const headers = { ETag: finished.etag, "Cache-Control": cacheControl, Vary: "Accept-Encoding", ...more };
  const coding =
    finished.bytes.length < MIN_COMPRESSED_BYTES ? undefined : codingOf(requestHeaders["accept-encoding"]);
  if (!coding) return { status: 200, body: finished.bytes, headers };
  return {
    status: 200,
    body: await finished.compressed(coding),
    headers: { ...headers, "Content-Encoding": coding },
  };
}

/** Of those that the client likes alike the first is taken: it is the smallest. */
const CODINGS: readonly Coding[] = ["br", "gzip"];
/** What its types do not tell yet: since version 1.0 it takes an order among what the client likes alike. */
type Choose = (available: readonly Coding[], options: { preferred: readonly Coding[] }) => Coding | undefined;

/** The coding that the client likes best; undefined: it names none of ours. */
export function codingOf(acceptEncoding: string | undefined): Coding | undefined {
  const negotiator = new Negotiator({ headers: { "accept-encoding": acceptEncoding } });
  return (negotiator.encoding as Choose).call(negotiator, CODINGS, { preferred: CODINGS });
}
