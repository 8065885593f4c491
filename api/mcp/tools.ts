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
import WORDS from "./tools.json" with { type: "json" };

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

/** Name and words of a tool. */
export const told = (name: keyof typeof WORDS) => ({ name: name as string, ...WORDS[name] });

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
    ...told("list_supported_assets"),
    annotations: reading,
    input: NoInput,
    output: AssetsAnswer,
    run: async (backend) => free(await backend.listSupportedAssets()),
    next: () =>
      "Choose inputAssetKey and outputAssetKey. An amount in raw units is the amount times 10 to the power of the input token's decimals. Next: get_verification_policy, or prepare_verification.",
  }),

  defineTool({
    ...told("get_verification_policy"),
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
    ...told("prepare_verification"),
    annotations: recording,
    input: VerificationInput,
    output: Job,
    run: async (backend, body) => free(await backend.prepareVerification(body)),
    next: afterJob,
  }),

  defineTool({
    ...told("purchase_verification"),
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
    ...told("get_verification"),
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
    ...told("prepare_guard_trade"),
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
    ...told("get_execution_status"),
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
