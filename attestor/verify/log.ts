/** Step `log`: whether a decision log that the reader trusts has the report. */
import { type Logged, verifyLog } from "../log/verifyLog.ts";
import type { Report } from "../report.ts";
import type { JsonObject } from "../values/json.ts";
import { knownGuard, type Reader } from "./trust.ts";
import type { Account } from "./verification.ts";

/**
 * @param claimed the report as it came
 * @param report as judged again
 * @returns where it is logged, by a log that the reader trusts; else null
 */
export function logStep(
  claimed: JsonObject,
  report: Report,
  reader: Reader,
  account: Account,
): Logged | null {
  const { chain, guard } = report.evidence;
  const guardRecord = knownGuard(reader, { chainId: chain.chainId, address: guard.address });
  const { outcome, faults, logged, vouchedBy } = verifyLog(claimed, report, {
    // The logs that the reader named, else those of the guard's record.
    logs: reader.logKeys ?? guardRecord?.logKeys ?? [],
    witnesses: reader.witnessKeys ?? [],
    isNamed: reader.logKeys !== undefined || reader.witnessKeys !== undefined,
    served: reader.served,
  });
  if (outcome === "not asked") {
    for (const { code, params } of faults) account.trust("log", code, params, "log-key");
    return null;
  }
  account.ask("log");
  for (const { code, params } of faults) {
    if (outcome === "wrong") account.wrong("log", code, params);
    else account.unknown("log", code, params);
  }
  if (logged !== null && vouchedBy === null)
    account.trust("log", "log_key_alone", { origin: logged.origin }, "service");
  return logged;
}
