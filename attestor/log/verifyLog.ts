/**
 * What the decision log says of a report: whether its entry is in a tree that the log signed. Where the reader trusts the
 * log, that is who issued the report: a denial is signed by nobody else.
 */
import { asRecord, type JsonObject, type Steps } from "../steps.ts";
import { utf8 } from "../values/bytes.ts";
import { orElse } from "../values/orElse.ts";
import { type LogTrust, type OpenedCheckpoint, openCheckpoint, parseCheckpoint } from "./checkpoint.ts";
import { entryOf, entryText, type Judgement, type LogEntry, Salt } from "./entry.ts";
import { HASHER } from "./hasher.ts";
import { UnknownLog } from "./logError.ts";
import { isIncluded } from "./merkle.ts";
import { parseNote } from "./note.ts";
import type { ServedTree } from "./served.ts";
import { parseTlogProof } from "./tlogProof.ts";

const STEP = "log";
const ALONE =
  " Only the log's key vouches that this tree is the public one: ask its service (--service) or name a witness (--witness).";

/** What the reader knows of logs, and whether the reader asked for the log's word. */
export interface LogQuestion extends LogTrust {
  readonly isAsked: boolean;
  /** What the service serves, where it was asked about the proof's checkpoint. */
  readonly served?: ServedTree | null | undefined;
}

/** A judgement that a log which the reader trusts has in its tree. */
export interface Logged {
  /** The log's name. */
  readonly origin: string;
  readonly index: number;
}

/**
 * @param claimed the report as it came
 * @param report as judged again
 * @returns where it is logged, by a log that the reader trusts; else null
 */
export function logSteps(
  claimed: JsonObject,
  report: Judgement,
  trust: LogQuestion,
  steps: Steps,
): Logged | null {
  const { log } = claimed;
  if (log === undefined && !trust.isAsked) return null;
  if (log === undefined) return missing(trust, "The report has no entry in the decision log.", steps);
  const { salt, proof = null, ...more } = asRecord(log) ?? {};
  const parsedSalt = Salt.safeParse(salt);
  if (!parsedSalt.success || Object.keys(more).length > 0 || (proof !== null && typeof proof !== "string")) {
    steps.add(STEP, "wrong", "What leads to the decision log is no salt and no proof.");
    return null;
  }
  if (proof === null)
    return missing(
      trust,
      "It carries no proof of the decision log: ask the service for the report again, or the log by assay log find.",
      steps,
    );
  try {
    return provedEntry(proof, entryOf(report, parsedSalt.data), trust, steps);
  } catch (error) {
    steps.add(STEP, "wrong", `The proof of the decision log does not do: ${(error as Error).message}.`);
    return null;
  }
}

/** The checkpoint of a report's proof; null where it has none that can be read. */
export function checkpointIn(claimed: JsonObject | null): string | null {
  const proof = asRecord(claimed?.log)?.proof;
  return orElse(() => (typeof proof === "string" ? parseTlogProof(proof).checkpoint : null), null);
}

/** A reader who names a log wants it proved. */
function missing({ isAsked }: LogQuestion, detail: string, steps: Steps): null {
  steps.add(STEP, isAsked ? "unknown" : "absent", detail);
  return null;
}

/**
 * Whether an entry is in a tree that the log signed.
 * @param proof c2sp.org/tlog-proof@v1
 * @returns where it is, by a log that the reader trusts; else null
 * @throws LogError for a proof that cannot be read, or is by no log that the reader asked for
 */
function provedEntry(proof: string, entry: LogEntry, trust: LogQuestion, steps: Steps): Logged | null {
  const { index, path, checkpoint } = parseTlogProof(proof);
  const { origin, size, root } = parseCheckpoint(parseNote(checkpoint).text);
  if (!isIncluded({ index, size, leafHash: HASHER.leaf(utf8(entryText(entry))), proof: path, root })) {
    steps.add(STEP, "wrong", `Entry ${index} of the log ${origin} is not this report.`);
    return null;
  }
  const where = `entry ${index} of ${size} of the log ${origin}`;
  if (trust.logs.length === 0) {
    steps.add(
      STEP,
      "absent",
      `It is ${where} by its own proof, whose signature was not checked: name the log's key with --log-key.`,
    );
    return null;
  }
  let opened: OpenedCheckpoint;
  try {
    opened = openCheckpoint(checkpoint, trust);
  } catch (error) {
    // A record may be older than the log's key; whom the reader named is another matter.
    if (trust.isAsked || !(error instanceof UnknownLog)) throw error;
    steps.add(STEP, "absent", `It is ${where} by its own proof, and ${error.message}.`);
    return null;
  }
  const served = trust.served?.note === checkpoint ? trust.served : null;
  const isVouchedFor = served !== null || (trust.witnesses ?? []).length > 0;
  steps.add(
    STEP,
    served?.outcome ?? "ok",
    `It is ${where}, which the log signed${served === null ? "" : `, ${served.detail}`}.${isVouchedFor ? "" : ALONE}`,
  );
  if (served?.outcome === "wrong") return null;
  witnessStep([...opened.witnesses, ...(served?.witnesses ?? [])], trust, steps);
  return { origin, index };
}

function witnessStep(witnesses: readonly string[], trust: LogTrust, steps: Steps): void {
  const named = (trust.witnesses ?? []).map(({ name }) => name);
  if (named.length === 0) return;
  const lacking = named.filter((name) => !witnesses.includes(name));
  if (lacking.length === 0) steps.add("witnesses", "ok", `Cosigned by ${named.join(", ")}.`);
  else
    steps.add(
      "witnesses",
      "unknown",
      `Not cosigned by ${lacking.join(", ")}: ask for the report again, which takes the newest cosigned checkpoint.`,
    );
}
