/**
 * What the log says. Of a judgement: only hashes. A salted hash names the job, so that a trade's job on the chain
 * does not lead to the denials of the same owner. An unsalted one of job and version shows a second answer to the same
 * question; nobody finds the job by it, since its id is 128 random bits.
 */
import { sha256 } from "@noble/hashes/sha2.js";
import { concatBytes } from "@noble/hashes/utils.js";
import * as z from "zod";
import { fromHex, toHex } from "../evm/hash.ts";
import { utf8 } from "../values/bytes.ts";
import { canonicalJson } from "../values/canonical.ts";
import { Bytes32, UnixSeconds } from "../values/primitives.ts";
import { LogError } from "./logError.ts";

const ENTRY_SCHEMA = "assay.log-entry/1";
/** Bytes of a report's salt. */
export const SALT_LENGTH = 16;

/** 16 random bytes that only the report contains. */
export const Salt = z.string().regex(/^0x[0-9a-f]{32}$/, "must be 0x and 32 lower-case hexadecimal digits");

export const LogEntry = z
  .strictObject({
    schema: z.literal(ENTRY_SCHEMA),
    /** What the entry is about. Readers hash and name kinds that they do not know. */
    kind: z.literal("judgement"),
    /** SHA-256 of the salt's 16 bytes and the job id's UTF-8. */
    jobIdHash: Bytes32,
    /** SHA-256 of "assay answer", the job id and the version, a line each: no log has two entries with the same. */
    answer: Bytes32,
    version: z.int().min(1),
    decision: z.enum(["ALLOW", "DENY"]),
    evidenceHash: Bytes32,
    policyHash: Bytes32,
    registryHash: Bytes32,
    /** Unix seconds. */
    capturedAt: UnixSeconds,
  })
  .meta({ id: "LogEntry" });
export type LogEntry = z.infer<typeof LogEntry>;

export interface Judgement {
  readonly jobId: string;
  readonly version: number;
  readonly decision: "ALLOW" | "DENY";
  readonly evidenceHash: string;
  readonly policyHash: string;
  readonly registryHash: string;
  readonly evidence: { readonly capturedAt: number };
}

/** @param salt as `Salt` */
export function jobIdHash(salt: string, jobId: string): string {
  return toHex(sha256(concatBytes(fromHex(salt), utf8(jobId))));
}

function answerHash(jobId: string, version: number): string {
  return toHex(sha256(utf8(`assay answer\n${jobId}\n${version}`)));
}

export function entryOf(report: Judgement, salt: string): LogEntry {
  const { jobId, version, decision, evidenceHash, policyHash, registryHash, evidence } = report;
  const { capturedAt } = evidence;
  return {
    schema: ENTRY_SCHEMA,
    kind: "judgement",
    jobIdHash: jobIdHash(salt, jobId),
    answer: answerHash(jobId, version),
    version,
    decision,
    evidenceHash,
    policyHash,
    registryHash,
    capturedAt,
  };
}

/** The text whose UTF-8 bytes are the log's leaf. */
export function entryText(entry: LogEntry): string {
  return canonicalJson(entry);
}

const Kinded = z.looseObject({ kind: z.string().regex(/^[a-z][a-z0-9-]{0,39}$/) });

interface ReadEntry {
  readonly kind: string;
  /** null: the entry is of another kind. */
  readonly judgement: LogEntry | null;
}

/**
 * Reads an entry of any kind.
 * @throws LogError for text that names no kind, or claims to be of a known kind and is not
 */
export function readEntry(text: string): ReadEntry {
  try {
    const value: unknown = JSON.parse(text);
    const { kind } = Kinded.parse(value);
    return { kind, judgement: kind === "judgement" ? LogEntry.parse(value) : null };
  } catch {
    throw new LogError("an entry is neither of a known kind nor of another");
  }
}
