/** Preparing a guarded trade, and following its execution. */
import { z } from "zod";
import { readJob, recordTransaction, sellPrepared } from "../jobs/operations.ts";
import { PrepareBody, SubmissionBody } from "../jobs/requests.ts";
import { type Execution, ExecutionState, type Job, type Prepared } from "../jobs/schemas.ts";
import { JobId, JobToken, next } from "./inputs.ts";
import { documentLink } from "./resources.ts";
import { always, defineTool, holderIn, RECORDING, WORKING } from "./tool.ts";
import { type Assets, inUnits, judged, understood, verdictMembers } from "./verdict.ts";

const Call = z.object({ to: z.string(), data: z.string(), value: z.string() });

const PreparedVerdict = z.object({
  ...verdictMembers,
  expiresAt: z.string().optional().describe("Until when it can be sent"),
  sends: z
    .object({
      chainId: z.number(),
      to: z.string(),
      function: z.string(),
      approve: z.string().optional().describe("What the owner approves first"),
    })
    .optional()
    .describe("The call by which the owner carries the trade out; absent on DENY"),
  signUrl: z.string().optional().describe("A page where the user's wallet signs and sends it"),
  approvals: z.array(Call).optional().describe("What the owner sends before the call, in this order"),
  guardCall: Call.optional(),
  next,
});

export const prepareGuardTrade = defineTool({
  name: "prepare_guard_trade",
  title: "Prepare the guarded trade",
  description:
    'Verifies the job again at the newest block and, on ALLOW, prepares and certifies the call of the on-chain guard. The user\'s wallet signs and sends it before expiresAt, a few minutes at most; this server sends nothing. The call data stands in the linked document, or in the answer with include: "call". At most two calls in five minutes for a job. Next: get_execution_status with the transaction hash.',
  hints: WORKING,
  sells: true,
  isLong: true,
  input: PrepareBody.extend({
    jobId: JobId,
    include: z
      .enum(["call"])
      .optional()
      .describe("call: with the call data, for a host whose wallet is a tool"),
    jobToken: JobToken,
  }),
  output: PreparedVerdict,
  async run({ jobId, deadlineSeconds, include, jobToken }, context, payment) {
    const { service } = context;
    const { assets } = service.deployment.registry;
    const caller = holderIn(context);
    const { content, receipt } = await sellPrepared(service, caller, jobId, deadlineSeconds, payment);
    return {
      content: preparedVerdictOf(content, assets, include === "call"),
      receipt,
      links: documentLink(jobId, content.report, jobToken),
    };
  },
});

/** @param withCall whether the host's wallet is a tool, which takes the call data from here */
function preparedVerdictOf(
  prepared: Prepared,
  assets: Assets,
  withCall: boolean,
): z.infer<typeof PreparedVerdict> {
  const { jobId, report, hints = [], execution, signUrl } = prepared;
  const { intent } = report.evidence;
  const verdict = judged(jobId, report, hints, understood(intent, report, assets));
  if (execution === null) return { ...verdict, next: "There is nothing to sign. Tell the user why." };
  const { approval, guardCall, certificate, tradeIntent } = execution;
  const isApproved = approval.calls.length === 0;
  const until = Math.min(Number(certificate.message.expiresAt), Number(tradeIntent.message.deadline));
  const { to, data, value } = guardCall;
  return {
    ...verdict,
    expiresAt: new Date(until * 1000).toISOString(),
    sends: {
      chainId: guardCall.chainId,
      to,
      function: guardCall.functionName,
      approve: isApproved ? undefined : inUnits(approval.amount, intent.inputAssetKey, assets),
    },
    signUrl: signUrl ?? undefined,
    approvals: withCall && !isApproved ? approval.calls : undefined,
    guardCall: withCall ? { to, data, value } : undefined,
    next: `${howToSend(signUrl, withCall)} This server sends nothing. Next: get_execution_status with the transaction hash.`,
  };
}

function howToSend(signUrl: string | null | undefined, withCall: boolean): string {
  const where = withCall ? "" : ` (in the linked document, or with include: "call")`;
  const page = signUrl ? "the user opens signUrl, which tells the hash by itself, or " : "";
  return `Before expiresAt ${page}the user's wallet approves what sends.approve names, if anything, and sends guardCall as it is${where}.`;
}

const ExecutionStatus = z.object({
  jobId: z.string(),
  execution: z
    .object({
      transactionHash: z.string(),
      state: ExecutionState,
      reason: z.string().optional(),
      spent: z.string().optional(),
      received: z.string().optional(),
      evidenceHash: z.string().optional(),
    })
    .nullable()
    .describe("Of the hash given, else the confirmed or the latest one"),
  next,
});

export const getExecutionStatus = defineTool({
  name: "get_execution_status",
  title: "Record and follow the execution",
  description:
    "Follows the on-chain execution of a job. Give transactionHash once the trade is sent: it is recorded, and the state then follows the chain (submitted, confirmed, reverted, mismatched, dropped). Call it again without a hash, every few seconds, until the state is no longer submitted.",
  hints: always(RECORDING),
  input: z.strictObject({
    jobId: JobId,
    transactionHash: SubmissionBody.shape.transactionHash
      .optional()
      .describe("Of the transaction that was sent; it is recorded first"),
    jobToken: JobToken,
  }),
  output: ExecutionStatus,
  async run({ jobId, transactionHash }, context) {
    const { service } = context;
    const caller = holderIn(context);
    if (transactionHash !== undefined) await recordTransaction(service, caller, jobId, transactionHash);
    const job = await readJob(service, caller, jobId);
    return { content: statusOf(job, service.deployment.registry.assets, transactionHash) };
  },
});

/** @param transactionHash of which the caller asks; without it the confirmed one, else the latest */
function statusOf(
  { jobId, intent, executions }: Job,
  assets: Assets,
  transactionHash?: string,
): z.infer<typeof ExecutionStatus> {
  const found =
    transactionHash === undefined
      ? (executions.find(({ state }) => state === "confirmed") ?? executions.at(-1))
      : executions.find((each) => each.transactionHash === transactionHash);
  if (found === undefined)
    return {
      jobId,
      execution: null,
      next: "No transaction is recorded yet. Once it is sent, call get_execution_status with transactionHash.",
    };
  const exchanged = found.confirmed && {
    spent: inUnits(found.confirmed.amountInRaw, intent.inputAssetKey, assets),
    received: inUnits(found.confirmed.amountOutRaw, intent.outputAssetKey, assets),
    evidenceHash: found.confirmed.evidenceHash,
  };
  return { jobId, execution: { ...found, ...exchanged }, next: NEXT[found.state] };
}

const NEXT: Readonly<Record<Execution["state"], string>> = {
  submitted: "Not confirmed yet. Next: get_execution_status without a hash, in a few seconds.",
  confirmed: "Confirmed: the trade is done. Tell the user what was spent and received.",
  dropped:
    "The transaction is not on chain. It may still arrive: look again, or call prepare_guard_trade again.",
  reverted:
    "The transaction failed on chain, and no trade took place. See reason; prepare_guard_trade again if the user still wants the trade.",
  mismatched: "That transaction is not a guard call of this job; see reason. Check the hash.",
};
