/** The seven tools: what each is for, what it takes and gives, and what comes after it. */
import type { z } from "zod";
import { AssetsAnswer, PoliciesAnswer } from "../jobs/catalog.ts";
import { Job, Prepared } from "../jobs/schemas.ts";
import type { Backend, Sold } from "./backend.ts";
import { failureOf, ToolFailure } from "./failure.ts";
import { afterExecutions, afterJob, afterPrepared, afterPurchase } from "./next.ts";
import {
  ExecutionQuery,
  ExecutionStatus,
  GuardTradeInput,
  NoInput,
  PaymentRequired,
  PolicyInput,
  Purchase,
  PurchaseDue,
  PurchaseInput,
  VerificationDue,
  VerificationInput,
  VerificationQuery,
  VerifiedJob,
} from "./schemas.ts";

export interface ToolSpec<I, O> {
  readonly name: string;
  readonly title: string;
  /** When to use it and what comes next, for a model. */
  readonly description: string;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
  /** Whether a host may show its answer by the report view. */
  readonly hasView?: true;
  readonly input: z.ZodType<I>;
  readonly output: z.ZodType<O>;
  /** It sells a report: what it answers to who has not paid. */
  readonly due?: z.ZodType;
  /** @param payment as of `Backend`, for a tool that sells */
  run(backend: Backend, input: I, payment?: string): Promise<Sold<O>>;
  /** What to do with this very answer. */
  next(output: O): string;
}

/** A tool whose types have done their work. */
export type Tool = ToolSpec<unknown, unknown>;

export function defineTool<I, O>(spec: ToolSpec<I, O>): Tool {
  // Sound, since call.ts hands over only what the schemas of this very spec have parsed.
  return spec as unknown as Tool;
}

const free = <T>(content: T): Sold<T> => ({ content, settlement: null });

/**
 * The answer of a tool that sells.
 * @param about what may be told beside the terms when they are the answer
 */
async function orDue<T>(work: Promise<T>, about: (terms: unknown) => Promise<object>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const fields = failureOf(error);
    if (fields.code !== "payment_required") throw error;
    throw new ToolFailure({ ...fields, about: { ...(await about(fields.members?.paymentRequired)) } });
  }
}

const reading = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
/** Of what reaches beyond the service: the chain, and with `paying` somebody's money. */
const recording = { ...reading, readOnlyHint: false, openWorldHint: true };
export const paying = { ...recording, destructiveHint: true };
/** What it costs, a payment beside the call settles; so no host should let it pass unseen. */
const looking = { ...reading, readOnlyHint: false, destructiveHint: true };

export const TOOLS: readonly Tool[] = [
  defineTool({
    name: "list_supported_assets",
    title: "List supported assets",
    description:
      "Lists the tokenized stocks and settlement tokens that can be traded under verification, with asset key, symbol, underlying, chain, address and decimals. Call this first: prepare_verification takes asset keys of this list, and amounts in raw units of a token's decimals. Next: get_verification_policy.",
    annotations: reading,
    input: NoInput,
    output: AssetsAnswer,
    run: async (backend) => free(await backend.listSupportedAssets()),
    next: () =>
      "Choose inputAssetKey and outputAssetKey. An amount in raw units is the amount times 10 to the power of the input token's decimals. Next: get_verification_policy, or prepare_verification.",
  }),

  defineTool({
    name: "get_verification_policy",
    title: "Get verification policies",
    description:
      "Shows the policies that a trade can be judged by: allowed market sessions, age and agreement of reference prices, limits of premium, impact, slippage and size. Without policyId all of them. Use it to choose policyId and a maxSlippageBps within the policy's limit. STRICT_LIVE is the strictest and the usual choice in regular trading hours. Next: prepare_verification.",
    annotations: reading,
    input: PolicyInput,
    output: PoliciesAnswer,
    async run(backend, { policyId }) {
      const { policies } = await backend.listPolicies();
      if (policyId === undefined) return free({ policies });
      const chosen = policies.filter((policy) => policy.policyId === policyId);
      if (chosen.length === 0)
        throw new ToolFailure({ code: "unknown_policy", detail: "There is no policy with that name." });
      return free({ policies: chosen });
    },
    next: () => "Choose a policyId. Next: prepare_verification.",
  }),

  defineTool({
    name: "prepare_verification",
    title: "Verify an intended trade",
    description:
      "Creates a verification job for one fixed trade (owner, tokens, raw amount, policy, slippage) and judges it at once against fresh evidence. Returns the job with its report: decision ALLOW or DENY, with findings that say why. Moves no money. Idempotent by clientRequestId, so repeat it after a lost answer. Next: purchase_verification when payment is required, otherwise prepare_guard_trade after ALLOW.",
    annotations: recording,
    input: VerificationInput,
    output: Job,
    run: async (backend, body) => free(await backend.prepareVerification(body)),
    next: afterJob,
  }),

  defineTool({
    name: "purchase_verification",
    title: "Pay for a verification",
    description:
      "Shows whether a job's report must be paid for, and settles the payment. Without a payment it answers the payment requirements (x402 version 2), which the user's wallet signs outside of this server; with the payment, in paymentSignature or as x402 has it in _meta, it settles exactly once and releases the report. In the free phase there is nothing to pay. Never takes keys. Ask the user before paying. Next: get_verification.",
    annotations: paying,
    input: PurchaseInput,
    output: Purchase,
    due: PurchaseDue,
    async run(backend, { jobId }, given) {
      const content = await orDue(backend.purchaseVerification(jobId, given), async (paymentRequired) => {
        const { payment, entitlement } = await backend.readJob(jobId);
        return { jobId, payment, entitlement, paymentRequired, settlement: null };
      });
      return { content, settlement: content.settlement };
    },
    next: afterPurchase,
  }),

  defineTool({
    name: "get_verification",
    title: "Get a verification",
    description:
      "Shows a job: payment, entitlement, report versions, executions, and the report with evidence and findings, the latest or the version asked for, with what was prepared and signed with that version; `report.facts` counts what its facts rest on, and the state proofs themselves come only with GET /v1/jobs/{id}/report. Use it to read the decision after paying, to look at an earlier version, or to find out where a job stands; while the job must be paid for, it answers its state with the payment requirements. Next: prepare_guard_trade after ALLOW.",
    annotations: looking,
    hasView: true,
    input: VerificationQuery,
    output: VerifiedJob,
    due: VerificationDue,
    async run(backend, { jobId, version }, payment) {
      return await orDue(backend.getVerification(jobId, version, payment), () => backend.readJob(jobId));
    },
    next: afterJob,
  }),

  defineTool({
    name: "prepare_guard_trade",
    title: "Prepare the guarded trade",
    description:
      "Verifies the job again at the newest block and, on ALLOW, prepares the trade: token approval, typed trade intent, signed certificate and the call of the on-chain guard. The user's wallet must sign and send approval and guardCall (or walletCalls, which is both with one confirmation) itself, before the certificate expires (a few minutes at most). On DENY execution is null. At most two calls in five minutes for a job. Next: get_execution_status with the transaction hash.",
    annotations: { ...paying, idempotentHint: false },
    hasView: true,
    input: GuardTradeInput,
    output: Prepared,
    due: PaymentRequired,
    async run(backend, { jobId, deadlineSeconds }, payment) {
      return await backend.prepareGuardTrade(jobId, deadlineSeconds, payment);
    },
    next: afterPrepared,
  }),

  defineTool({
    name: "get_execution_status",
    title: "Record and follow the execution",
    description:
      "Follows the on-chain execution of a job. Give transactionHash once the user's wallet has sent the guard call: it is recorded, and the state then follows the chain (submitted, confirmed, reverted, mismatched, dropped) with amounts and evidence hash from the receipt. Call it again without a hash, every few seconds, until the state is no longer submitted.",
    annotations: recording,
    input: ExecutionQuery,
    output: ExecutionStatus,
    async run(backend, { jobId, transactionHash }) {
      if (transactionHash !== undefined) await backend.submitTransaction(jobId, transactionHash);
      const { executions } = await backend.readJob(jobId);
      const execution = executions.find((each) => each.transactionHash === transactionHash) ?? null;
      return free({ jobId, execution, executions });
    },
    next: afterExecutions,
  }),
];
