/** The account that a verification gives of the decision log, in words. */
import type { Judgement } from "../log/entry.ts";
import {
  type LogFault,
  type LogFaultCode,
  type Logged,
  type LogReader,
  verifyLog,
} from "../log/verifyLog.ts";
import type { JsonObject, Steps } from "../steps.ts";

const WORDS: Readonly<Record<LogFaultCode, string>> = {
  log_absent: "The report has no entry in the decision log",
  log_proof_missing: "It carries no proof of the decision log: ask the service for the report again",
  log_format: "What leads to the decision log is no salt and no proof",
  log_proof_broken: "The proof of the decision log does not hold",
  log_entry_other: "An entry of the log is not this report",
  log_unchecked: "Its own proof was not checked: name the log's key with --log-key",
  log_unknown_key: "No key that you have belongs to the log, or signed the tree of the proof",
  log_contradicts: "The log signed two trees that contradict each other",
  log_not_served: "Whether the service serves that tree is not known",
  witness_missing: "Not cosigned: ask for the report again, which takes the newest cosigned checkpoint",
};

/**
 * @param claimed the report as it came
 * @param report as judged again
 * @returns where it is logged, by a log that the reader trusts; else null
 */
export function logStep(
  claimed: JsonObject,
  report: Judgement,
  reader: LogReader,
  steps: Steps,
): Logged | null {
  const { outcome, faults, place, logged, vouchedBy } = verifyLog(claimed, report, reader);
  const own = faults.filter(({ code }) => code !== "witness_missing");
  const missing = faults.find(({ code }) => code === "witness_missing");
  if (own.length > 0) {
    // A reader who knows no log is told of a report's entry alone.
    if (outcome !== "not asked" || claimed.log !== undefined)
      steps.add("log", outcome === "not asked" ? "absent" : outcome, own.map(textOf).join(" "));
  } else if (place !== null) {
    const alone =
      vouchedBy === null && (reader.witnesses ?? []).length === 0
        ? " Only the log's key vouches that this tree is the public one: ask its service (--service) or name a witness (--witness)."
        : "";
    const { origin, index, size } = place;
    steps.add(
      "log",
      "ok",
      `It is entry ${index} of ${size} of the log ${origin}, which the log signed.${alone}`,
    );
  }
  if (missing !== undefined) steps.add("witnesses", "unknown", textOf(missing));
  else if (logged !== null && (reader.witnesses ?? []).length > 0)
    steps.add("witnesses", "ok", "Cosigned by every witness that you named.");
  return logged;
}

const textOf = ({ code, params }: LogFault): string =>
  `${[WORDS[code], ...Object.values(params)].join(" ")}.`;
