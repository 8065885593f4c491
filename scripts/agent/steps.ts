/** The steps of a trade in lines, and what it can fail with. */
import { wholeUnits } from "../../attestor/values/wholeUnits.ts";
import {
  PaymentNotAllowed,
  PaymentRequired,
  ServiceError,
  type TradeEvent,
  TradeFailed,
  TradeRefused,
} from "../../client/client.ts";
import type { LocalFile } from "../../devnet/localFile.ts";
import type { World } from "../console.ts";
import { EXIT } from "../errors.ts";
import { Refused } from "./wallet.ts";

export type Token = LocalFile["tokens"][string] & { readonly symbol: string };

/** A line for each step of the trade. */
export function tellerOf({ out }: World, input: Token, output: Token): (event: TradeEvent) => void {
  let approved = "";
  return (event) => {
    if (event.step === "job") out(`job        ${event.jobId}`);
    if (event.step === "prepared") {
      const { report, reportVersion, receipt, execution, hints } = event.prepared;
      if (receipt !== null) out(`paid       in ${receipt.transaction}`);
      out(
        `prepared   version ${reportVersion}: ${report.decision}, block ${report.evidence.chain.blockNumber}`,
      );
      for (const { check, outcome, message } of report.findings.filter((one) => one.outcome !== "pass")) {
        out(`           ${outcome.toUpperCase()} ${check}: ${message}`);
        const hint = hints.find((one) => one.check === check);
        if (hint !== undefined) out(`             ${hint.text}`);
      }
      approved = execution === null ? "" : wholeUnits(execution.approval.amount, input.decimals);
    }
    if (event.step === "checked") {
      const { evidenceHash, report } = event.verification;
      out(`checked    VALID: evidence ${evidenceHash}, judged again: ${report?.decision}`);
    }
    if (event.step === "approved" && event.transactionHash !== null)
      out(`approved   exactly ${approved} ${input.symbol}, in ${event.transactionHash}`);
    if (event.step === "sent") out(`sent       ${event.transactionHash}`);
    if (event.step === "submitted") out(`submitted  ${event.executionId}`);
    if (event.step === "confirmed") {
      const { confirmed } = event.execution;
      const got = wholeUnits(confirmed?.amountOutRaw ?? "0", output.decimals);
      out(`confirmed  block ${confirmed?.blockNumber}, received ${got} ${output.symbol}`);
    }
  };
}

/** What a trade can fail with, in words; null for anything else. */
export function failureOf(error: unknown, tokens: LocalFile["tokens"]) {
  if (error instanceof Refused)
    return { line: `The contract refuses the trade: ${error.message}.`, exit: EXIT.denied };
  if (error instanceof TradeRefused) {
    const exit = error.code === "denied" ? EXIT.denied : EXIT.failed;
    return { line: `${error.message} Nothing was signed or sent.`, exit };
  }
  if (error instanceof PaymentRequired)
    return {
      line: `The report costs ${priceIn(error, tokens)}. Nothing was paid: --pay buys it.`,
      exit: EXIT.unpaid,
    };
  if (error instanceof PaymentNotAllowed) return { line: error.message, exit: EXIT.unpaid };
  if (error instanceof TradeFailed) {
    const isOpen = error.code === "not_confirmed";
    return { line: error.message, exit: isOpen ? EXIT.pending : EXIT.failed };
  }
  if (error instanceof ServiceError) {
    const hint = error.code === "unreachable" ? " Is npm start running?" : "";
    return { line: `${error.message}${hint}`, exit: EXIT.failed };
  }
  return null;
}

/** In the first token that the agent knows, otherwise in raw units. */
function priceIn({ challenge: { accepts } }: PaymentRequired, tokens: LocalFile["tokens"]): string {
  for (const { asset, amount } of accepts)
    for (const [symbol, { address, decimals }] of Object.entries(tokens))
      if (address.toLowerCase() === asset.toLowerCase()) return `${wholeUnits(amount, decimals)} ${symbol}`;
  return `${accepts[0]!.amount} raw units of ${accepts[0]!.asset}`;
}
