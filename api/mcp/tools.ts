/** The tools that verify and prepare a trade: what each is for, what it takes and gives, and what comes after it. */
import type { ResourceLink } from "@modelcontextprotocol/server";
import type { z } from "zod";
import { accept } from "../http/problems.ts";
import { JobBody } from "../jobs/schemas.ts";
import type { Backend, Sold } from "./backend.ts";
import { ToolFailure } from "./failure.ts";
import { bodyOf } from "./inputs.ts";
import { afterPurchase } from "./next.ts";
import { documentLink, POLICIES_LINK } from "./resources.ts";
import {
  AssetList,
  AssetQuery,
  ExecutionQuery,
  ExecutionStatus,
  GuardTradeInput,
  PolicyInput,
  PolicyList,
  PreparedVerdict,
  PurchaseAnswer,
  PurchaseInput,
  Verdict,
  VerificationInput,
  VerificationQuery,
} from "./schemas.ts";
import WORDS from "./tools.json" with { type: "json" };
import { assetList, policyList, preparedVerdictOf, statusOf, verdictOf } from "./views.ts";

export interface Hints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** What a tool answers, with what it links to. */
export interface Told<O> extends Sold<O> {
  readonly links?: readonly ResourceLink[];
}

export interface ToolSpec<I, O> {
  readonly name: string;
  readonly title: string;
  /** When to use it and what comes next, for a model. */
  readonly description: string;
  /** With payments on, and off. */
  readonly hints: { readonly paid: Hints; readonly free: Hints };
  /** It sells a report: without payment the caller receives the terms. */
  readonly sells?: true;
  /** It answers the same as long as the service runs. */
  readonly isConstant?: true;
  /** Hosts that ask for it receive progress. */
  readonly isLong?: true;
  readonly input: z.ZodType<I>;
  readonly output: z.ZodType<O>;
  /** @param payment as of `Backend`, for a tool that sells */
  run(backend: Backend, input: I, payment?: string): Promise<Told<O>>;
}

/** A tool whose types have done their work. */
export type Tool = ToolSpec<unknown, unknown>;

export function defineTool<I, O>(spec: ToolSpec<I, O>): Tool {
  // Sound, since call.ts hands over only what the schemas of this very spec have parsed.
  return spec as unknown as Tool;
}

/** Name and words of a tool. */
export const told = (name: keyof typeof WORDS) => ({ name: name as string, ...WORDS[name] });

const free = <T>(content: T, ...links: readonly ResourceLink[]): Told<T> => ({
  content,
  settlement: null,
  links,
});

const always = (hints: Hints) => ({ paid: hints, free: hints });
const reading = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
/** Of what reaches beyond the service: the chain, and with payments on somebody's money. */
const recording = { ...reading, readOnlyHint: false, openWorldHint: true };
const paying = { ...recording, destructiveHint: true };
/** Of a call that does its work anew each time, and with payments on may charge for it. */
export const working = {
  paid: { ...paying, idempotentHint: false },
  free: { ...recording, idempotentHint: false },
};

export const assetsOf = async (backend: Backend) => (await backend.listSupportedAssets()).assets;

export const TOOLS: readonly Tool[] = [
  defineTool({
    ...told("list_supported_assets"),
    hints: always(reading),
    isConstant: true,
    input: AssetQuery,
    output: AssetList,
    run: async (backend, { query }) => free(assetList(await backend.listSupportedAssets(), query)),
  }),

  defineTool({
    ...told("get_verification_policy"),
    hints: always(reading),
    isConstant: true,
    input: PolicyInput,
    output: PolicyList,
    async run(backend, { policyId }) {
      const { policies } = await backend.listPolicies();
      const chosen = policies.filter((policy) => policyId === undefined || policy.policyId === policyId);
      if (chosen.length === 0)
        throw new ToolFailure({ code: "unknown_policy", detail: "There is no policy with that name." });
      return free(policyList({ policies: chosen }), POLICIES_LINK);
    },
  }),

  defineTool({
    ...told("prepare_verification"),
    hints: always(recording),
    isLong: true,
    input: VerificationInput,
    output: Verdict,
    async run(backend, input) {
      const assets = await assetsOf(backend);
      const job = await backend.prepareVerification(accept(JobBody, bodyOf(input, assets)));
      return free(verdictOf(job, assets, input.amount === undefined), ...documentLink(job.jobId, job.report));
    },
  }),

  defineTool({
    ...told("purchase_verification"),
    hints: { paid: paying, free: reading },
    sells: true,
    input: PurchaseInput,
    output: PurchaseAnswer,
    async run(backend, { jobId }, given) {
      const { job, settlement } = await backend.purchaseVerification(jobId, given);
      return {
        content: { jobId, payment: job.payment.state, settlement, next: afterPurchase(job) },
        settlement,
      };
    },
  }),

  defineTool({
    ...told("get_verification"),
    hints: always(reading),
    input: VerificationQuery,
    output: Verdict,
    async run(backend, { jobId, version, jobToken }) {
      const [assets, job] = await Promise.all([assetsOf(backend), backend.getVerification(jobId, version)]);
      return free(verdictOf(job, assets), ...documentLink(jobId, job.report, jobToken));
    },
  }),

  defineTool({
    ...told("prepare_guard_trade"),
    hints: working,
    sells: true,
    isLong: true,
    input: GuardTradeInput,
    output: PreparedVerdict,
    async run(backend, { jobId, deadlineSeconds, include, jobToken }, payment) {
      // First, so that nothing can fail once a payment is settled.
      const assets = await assetsOf(backend);
      const { content, settlement } = await backend.prepareGuardTrade(jobId, deadlineSeconds, payment);
      return {
        content: preparedVerdictOf(content, assets, include === "call"),
        settlement,
        links: documentLink(jobId, content.report, jobToken),
      };
    },
  }),

  defineTool({
    ...told("get_execution_status"),
    hints: always(recording),
    input: ExecutionQuery,
    output: ExecutionStatus,
    async run(backend, { jobId, transactionHash }) {
      if (transactionHash !== undefined) await backend.submitTransaction(jobId, transactionHash);
      const [assets, job] = await Promise.all([assetsOf(backend), backend.readJob(jobId)]);
      return free(statusOf(job, assets, transactionHash));
    },
  }),
];
