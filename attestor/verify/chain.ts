/**
 * Step `chain`: what a node of the reader's says of a report. What it says against a document is never `wrong`: it may be
 * the node that lies.
 */
import type { ChainFindings } from "./trust.ts";
import type { Account } from "./verification.ts";

/** Nobody could check these. What a node no longer has, another may. */
const NEVER_CHECKED = ["code_not_recorded", "trade_of_other_version"];

export function chainStep(found: ChainFindings | undefined, account: Account): void {
  if (found === undefined) return;
  account.ask("chain");
  for (const { code, params } of found.faults) account.unknown("chain", code, params);
  for (const { code, params } of found.trusted) {
    if (NEVER_CHECKED.includes(code)) account.trust("chain", code, params);
    else account.trustUnlessStrict("chain", code, params);
  }
}
