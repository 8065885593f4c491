/**
 * What the decision log says of a report: whether its entry is in a tree that the log signed. Where the reader trusts the
 * log, that is who issued the report: a denial is signed by nobody else.
 */

import { utf8 } from "../values/bytes.ts";
import type { Fault, Params } from "../values/fault.ts";
import { asRecord, type JsonObject } from "../values/json.ts";
import { orElse } from "../values/orElse.ts";
import { type LogTrust, type OpenedCheckpoint, openCheckpoint, parseCheckpoint } from "./checkpoint.ts";
import { entryOf, entryText, type Judgement, Salt } from "./entry.ts";
import { HASHER } from "./hasher.ts";
import { UnknownLog } from "./logError.ts";
import { isIncluded } from "./merkle.ts";
import { parseNote } from "./note.ts";
import type { ServedTree } from "./served.ts";
import { parseTlogProof } from "./tlogProof.ts";

/** Whose word on logs counts for the reader. */
export interface LogReader extends LogTrust {
  /** Whether the reader named the keys; false: they are those of the guard's record. */
  readonly isNamed: boolean;
  /** What the service serves, where it was asked about the proof's checkpoint. */
  readonly served?: ServedTree | null | undefined;
}

export type LogFaultCode =
  /** The report names no entry. */
  | "log_absent"
  /** It names an entry, and has no proof of it yet. */
  | "log_proof_missing"
  /** Its member `log` is no salt and no proof. */
  | "log_format"
  /** The proof cannot be read, or a signature under it does not hold, for the `reason`. */
  | "log_proof_broken"
  /** The entry `index` of the log `origin` is not this report. */
  | "log_entry_other"
  /** The reader has no log's key, so that nobody checked who signed the tree of `origin`. */
  | "log_unchecked"
  /** No key that the reader has belongs to the log `origin`, or signed the tree. */
  | "log_unknown_key"
  /** The log signed two trees that contradict each other (see `ServedTree`). */
  | "log_contradicts"
  /** The service did not tell which tree it serves, for the `reason`. */
  | "log_not_served"
  /** The witnesses `names` did not cosign the tree, nor one that continues it. */
  | "witness_missing";

export interface LogFault extends Fault {
  readonly code: LogFaultCode;
}

/** Where a proof has a report. */
export interface LogPlace {
  /** The log's name. */
  readonly origin: string;
  readonly index: number;
  /** Entries of the tree that the proof is of. */
  readonly size: number;
}

/** A judgement that a log which the reader trusts has in its tree. */
export type Logged = Pick<LogPlace, "origin" | "index">;

export interface LogReading {
  /** `not asked`: the reader knows no log that the report could be in. */
  readonly outcome: "ok" | "wrong" | "unknown" | "not asked";
  /** What keeps the outcome from `ok`; empty where it is. */
  readonly faults: readonly LogFault[];
  /** By the proof's own word; null where it has none that can be read and holds. */
  readonly place: LogPlace | null;
  /** Where a log has the report that the reader trusts. */
  readonly logged: Logged | null;
  /** Who vouches that the tree is the public one; null: the log's key alone, or nobody. */
  readonly vouchedBy: "service" | "witnesses" | null;
}

/**
 * @param claimed the report as it came
 * @param report as judged again
 */
export function verifyLog(claimed: JsonObject, report: Judgement, reader: LogReader): LogReading {
  const { log } = claimed;
  // Without an entry in the log that the reader knows, a judgement was kept out of what everybody sees.
  const unless = hasTrust(reader) ? "unknown" : "not asked";
  if (log === undefined) return reading(unless, "log_absent");
  const { salt, proof = null, ...more } = asRecord(log) ?? {};
  const parsedSalt = Salt.safeParse(salt);
  if (!parsedSalt.success || Object.keys(more).length > 0 || (proof !== null && typeof proof !== "string"))
    return reading("wrong", "log_format");
  if (proof === null) return reading(unless, "log_proof_missing", { jobId: report.jobId });
  try {
    return proved(proof, entryText(entryOf(report, parsedSalt.data)), reader);
  } catch (error) {
    return reading("wrong", "log_proof_broken", { reason: (error as Error).message });
  }
}

/** The checkpoint of a report's proof; null where it has none that can be read. */
export function checkpointIn(claimed: JsonObject | null): string | null {
  const proof = asRecord(claimed?.log)?.proof;
  return orElse(() => (typeof proof === "string" ? parseTlogProof(proof).checkpoint : null), null);
}

const hasTrust = ({ logs, witnesses = [] }: LogTrust) => logs.length + witnesses.length > 0;

/**
 * @param proof c2sp.org/tlog-proof@v1
 * @param entry the text of the report's entry
 * @throws LogError for a proof that cannot be read, or whose signature by a key of the reader's does not hold
 */
function proved(proof: string, entry: string, reader: LogReader): LogReading {
  const { index, path, checkpoint } = parseTlogProof(proof);
  const { origin, size, root } = parseCheckpoint(parseNote(checkpoint).text);
  if (!isIncluded({ index, size, leafHash: HASHER.leaf(utf8(entry)), proof: path, root }))
    return reading("wrong", "log_entry_other", { index, origin });
  const place = { origin, index, size };
  if (reader.logs.length === 0)
    return { ...reading(hasTrust(reader) ? "unknown" : "not asked", "log_unchecked", { origin }), place };
  let opened: OpenedCheckpoint;
  try {
    opened = openCheckpoint(checkpoint, reader);
  } catch (error) {
    if (!(error instanceof UnknownLog)) throw error;
    // A record may be older than the log's key; a key that the reader named is meant.
    return { ...reading(reader.isNamed ? "wrong" : "unknown", "log_unknown_key", { origin }), place };
  }
  return vouched(opened, index, reader);
}

/** What service and witnesses say of a tree that the log signed. */
function vouched(opened: OpenedCheckpoint, index: number, reader: LogReader): LogReading {
  const { origin, size } = opened;
  const place = { origin, index, size };
  const wanted = (reader.witnesses ?? []).map(({ name }) => name);
  // What was asked about another proof says nothing of this one.
  const served = reader.served?.note === opened.note ? reader.served : null;
  if (served !== null && served.fault?.code === "log_contradicts")
    return { outcome: "wrong", faults: [served.fault], place, logged: null, vouchedBy: null };
  const cosigned = [...opened.witnesses, ...(served?.witnesses ?? [])];
  const missing = wanted.filter((name) => !cosigned.includes(name));
  const faults: LogFault[] = served?.fault ? [served.fault] : [];
  if (missing.length > 0) faults.push({ code: "witness_missing", params: { names: missing.join(", ") } });
  let vouchedBy: LogReading["vouchedBy"] = null;
  if (served !== null && served.fault === null) vouchedBy = "service";
  else if (wanted.length > 0 && missing.length === 0) vouchedBy = "witnesses";
  const outcome = faults.length === 0 ? "ok" : "unknown";
  return { outcome, faults, place, logged: { origin, index }, vouchedBy };
}

function reading(outcome: LogReading["outcome"], code: LogFaultCode, params: Params = {}): LogReading {
  return { outcome, faults: [{ code, params }], place: null, logged: null, vouchedBy: null };
}
