/**
 * `prepare_verification`, of which there are two. With an API key it makes a job of the key's, to be paid for later. Without
 * one no key could own a job: it is the one-shot verification, paid for at once where required, and returns the token that
 * opens the job to later tools.
 */
import { z } from "zod";
import { Text } from "../../attestor/values/primitives.ts";
import { takeOfAddress } from "../http/limits.ts";
import { accept } from "../http/problems.ts";
import { hintsOf } from "../jobs/hints.ts";
import { verifyOnce } from "../jobs/oneShot.ts";
import { newJob, readJob } from "../jobs/operations.ts";
import { JobBody, VerifyInput } from "../jobs/schemas.ts";
import { withReceipt } from "../payments/receipt.ts";
import { failureOf, ToolFailure } from "./failure.ts";
import { bodyOf, MAX_NAME_LENGTH, PaymentSignature } from "./inputs.ts";
import { documentLink } from "./resources.ts";
import { always, defineTool, holderIn, RECORDING, WORKING } from "./tool.ts";
import { Verdict, verdictOf } from "./verdict.ts";

const asset = (role: string) =>
  Text.min(1).max(MAX_NAME_LENGTH).describe(`Symbol or asset key of the token that is ${role}`);
const trade = {
  inputAssetKey: asset("spent"),
  outputAssetKey: asset("bought"),
  amount: z
    .string()
    .max(160)
    .optional()
    .describe('Input amount in units, such as "250 USDL" or "250"; or else amountInRaw'),
  amountInRaw: JobBody.shape.amountInRaw.optional(),
  policyId: JobBody.shape.policyId.describe("One of get_verification_policy"),
};
const isOneAmount = (given: { amount?: string | undefined; amountInRaw?: string | undefined }) =>
  (given.amount === undefined) !== (given.amountInRaw === undefined);
const oneAmount = { path: ["amount"], error: "give either amount or amountInRaw" };

const common = { name: "prepare_verification", title: "Verify an intended trade", isLong: true } as const;

export const prepareVerification = defineTool({
  ...common,
  description:
    "Creates a verification job for one fixed trade (owner, tokens, amount, policy, slippage) and judges it at once against fresh evidence. Answers what was understood, ALLOW or DENY with what did not pass, and a link to the report. Moves no money. Repeat it after a lost answer: the same clientRequestId finds the same job. Next: purchase_verification when payment is required, otherwise prepare_guard_trade after ALLOW.",
  hints: always(RECORDING),
  input: z
    .strictObject({
      ...JobBody.shape,
      ...trade,
      clientRequestId: JobBody.shape.clientRequestId.describe(
        "A new name for this trade; the same name with the same fields finds the same job",
      ),
    })
    .refine(isOneAmount, oneAmount),
  output: Verdict,
  async run(input, context) {
    const { service } = context;
    const { assets } = service.deployment.registry;
    const { job } = await newJob(service, holderIn(context), accept(JobBody, bodyOf(input, assets)));
    return {
      content: verdictOf(job, assets, input.amount === undefined),
      links: documentLink(job.jobId, job.report),
    };
  },
});

const PAY_HERE =
  "Ask the user, then have the user's wallet sign one of accepts as an x402 version 2 payment. Call prepare_verification again with the same arguments and the payment's base64 as paymentSignature. (An x402 client sends the same call again with the payment in _meta.) Keep the payment until you have the report: the same one is charged once.";

export const prepareWithoutKey = defineTool({
  ...common,
  description:
    "Judges one fixed trade (owner, tokens, amount, policy, slippage) at once against fresh evidence, for a host without an API key. Answers what was understood, ALLOW or DENY with what did not pass, a link to the report, and jobToken: keep it, and give it with the jobId to every tool after this one. Where verification is paid for, it answers the payment requirements first (x402 version 2): ask the user, whose wallet signs outside of this server; the same call with the payment is charged once. Never takes keys. Next: prepare_guard_trade after ALLOW.",
  hints: WORKING,
  sells: true,
  input: z
    .strictObject({
      ...VerifyInput.shape,
      ...trade,
      policyId: VerifyInput.shape.policyId.describe("One of get_verification_policy"),
      paymentSignature: PaymentSignature,
    })
    .refine(isOneAmount, oneAmount),
  output: Verdict.extend({ jobToken: z.string().describe("Goes with the jobId") }),
  async run({ paymentSignature: _, ...input }, { service, address }, payment) {
    const { assets } = service.deployment.registry;
    const body = accept(VerifyInput, bodyOf(input, assets));
    // The limits of POST /a2mcp/verify: what an address may have, it has once.
    await takeOfAddress(service.limits, "a2mcp", address, service.config.addressLimitPerMinute);
    if (!service.payments) await service.oneShots.take(address);
    const { report, jobToken, receipt, replayed } = await verifyOnce(service, body, payment).catch(payHere);
    const { jobId } = report;
    const job = await withReceipt(receipt, () => readJob(service, { kind: "jobToken", jobId }, jobId));
    const verdict = verdictOf(
      { ...job, report, hints: hintsOf(service, report) },
      assets,
      input.amount === undefined,
    );
    const content = {
      ...verdict,
      jobToken,
      next: `${verdict.next} Keep jobToken: the tools take it with the jobId.`,
    };
    return { content, receipt, replayed, links: documentLink(jobId, report, jobToken) };
  },
});

/** @throws what it is given; of a payment that is due, with how to make it here */
function payHere(error: unknown): never {
  const failure = failureOf(error);
  throw failure.code === "payment_required" ? new ToolFailure({ ...failure, next: PAY_HERE }) : error;
}
