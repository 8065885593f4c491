/** The steps of a trade in lines, and what it can fail with. */
import { wholeUnits } from "../../attestor/values/wholeUnits.ts";
import { GUARD_ABI } from "../../chain/abis.ts";
import { describeRevert } from "../../chain/guard/events.ts";
import {
  PaymentNotAllowed,
  PaymentRequired,
  ServiceError,
  type TradeCall,
  type TradeEvent,
  TradeFailed,
  TradeRefused,
  type WalletProvider,
} from "../../client/client.ts";
import type { LocalFile } from "../../devnet/localFile.ts";
import type { World } from "../console.ts";
import { EXIT, Refused } from "../errors.ts";

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
  if (error instanceof RefusedByContract)
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

/** The guard's or the module's own words for why it refuses a call. */
class RefusedByContract extends Error {}

/**
 * Tried on the node first, so that a refusal costs nothing and has a name.
 * @returns the transaction's hash
 * @throws RefusedByContract
 */
export async function sendFrom(
  wallet: WalletProvider,
  from: string,
  { to, data }: TradeCall,
): Promise<string> {
  try {
    await wallet.request({ method: "eth_call", params: [{ from, to, data }, "latest"] });
  } catch (error) {
    const { data: reason } = error as { data?: unknown };
    if (typeof reason !== "string") throw error;
    throw new RefusedByContract(describeRevert(reason));
  }
  return String(await wallet.request({ method: "eth_sendTransaction", params: [{ from, to, data }] }));
}

/** The key whose certificates the guard takes now. @throws Refused */
export async function signerOfGuard(wallet: WalletProvider, guard: string): Promise<string> {
  const code = await wallet.request({ method: "eth_getCode", params: [guard, "latest"] });
  if (code === "0x")
    throw new Refused(
      `There is no guard at ${guard}, which you named, on the chain of your node. Nothing was signed or sent.`,
    );
  const data = GUARD_ABI.encodeFunctionData("signer");
  const answer = await wallet.request({ method: "eth_call", params: [{ to: guard, data }, "latest"] });
  return String(GUARD_ABI.decodeFunctionResult("signer", String(answer))[0]);
}
