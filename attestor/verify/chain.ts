/**
 * Step `chain`: what a node of the reader's says of a report. What it says against a document is never `wrong`: it may be
 * the node that lies.
 */
import type { Fault } from "../values/fault.ts";
import type { Standing } from "./issuer.ts";
import type { Account } from "./verification.ts";

/** The trade of the report, as the guard's event tells it. */
export interface ExecutedTrade {
  readonly transactionHash: string;
  readonly blockNumber: number;
  /** Raw units, decimal. */
  readonly amountSpent: string;
  readonly amountOut: string;
}

export interface ChainFindings {
  /** What the node says against the document, or did not say. */
  readonly faults: readonly Fault[];
  /** What could not be looked at: the node no longer has it, or nobody knows what it should be. */
  readonly trusted: readonly Fault[];
  /** Whether the evidence's block is the chain's. */
  readonly hasBlock: boolean;
  readonly standing: Standing;
  /** The execution of this very trade; null: the node shows none. */
  readonly executed: ExecutedTrade | null;
}

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
