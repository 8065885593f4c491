/**
 * `prepare_verification`, of which there are two with one input. With an API key it makes a job of the key's, to be paid for later. Without
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
import { JobBody, VerifyInput } from "../jobs/requests.ts";
import { withReceipt } from "../payments/receipt.ts";
import { failureOf, ToolFailure } from "./failure.ts";
import { bad, bodyOf, MAX_NAME_LENGTH, PaymentSignature } from "./inputs.ts";
import { documentLink } from "./resources.ts";
import { always, defineTool, holderIn, RECORDING, WORKING } from "./tool.ts";
import { Verdict, verdictOf } from "./verdict.ts";

const asset = (role: string) =>
  Text.min(1).max(MAX_NAME_LENGTH).describe(`Symbol or asset key of the token that is ${role}`);

/** One for both, so that a model need not know whether its host has a key. */
const input = z
  .strictObject({
    ...VerifyInput.shape,
    clientRequestId: JobBody.shape.clientRequestId
      .optional()
      .describe(
        "With an API key, required: a new name for this trade; the same name with the same fields finds the same job. Without a key it binds nothing",
      ),
    inputAssetKey: asset("spent"),
    outputAssetKey: asset("bought"),
    amount: z
      .string()
      .max(160)
      .optional()
      .describe('Input amount in units, such as "250 USDL" or "250"; or else amountInRaw'),
    amountInRaw: JobBody.shape.amountInRaw.optional(),
    recipientAddress: JobBody.shape.recipientAddress.describe("With an API key; the owner by default"),
    policyId: VerifyInput.shape.policyId.describe("One of get_verification_policy"),
    paymentSignature: PaymentSignature,
  })
  .refine((given) => (given.amount === undefined) !== (given.amountInRaw === undefined), {
    path: ["amount"],
    error: "give either amount or amountInRaw",
  });

const common = {
  name: "prepare_verification",
  title: "Verify an intended trade",
  isLong: true,
  input,
} as const;

export const prepareVerification = defineTool({
  ...common,
  description:
    "Creates a verification job for one fixed trade (owner, tokens, amount, policy, slippage) and judges it at once against fresh evidence. Answers what was understood, ALLOW or DENY with what did not pass, and a link to the report. Moves no money. Repeat it after a lost answer: the same clientRequestId finds the same job. Next: purchase_verification when payment is required, otherwise prepare_guard_trade after ALLOW.",
  hints: always(RECORDING),
  output: Verdict,
  async run({ paymentSignature, ...input }, context) {
    if (paymentSignature !== undefined)
      throw bad("paymentSignature", "is for hosts without an API key: pay with purchase_verification");
    const { service } = context;
    const { assets } = service.deployment.registry;
    const { job } = await newJob(service, holderIn(context), accept(JobBody, bodyOf(input, assets)));
    const { jobId, report } = job;
    const hints = report === undefined ? [] : hintsOf(service, report);
    return {
      content: verdictOf({ ...job, hints }, assets, input.amount === undefined),
      links: documentLink(jobId, report),
    };
  },
});

const PAY_HERE =
  "Ask the user, then have the user's wallet sign one of accepts as an x402 version 2 payment. Call prepare_verification again with the same arguments and the payment's base64 as paymentSignature. (An x402 client sends the same call again with the payment in _meta.) Keep the payment until you have the report: the same one is charged once.";

export const prepareWithoutKey = defineTool({
  ...common,
  description:
    "Judges one fixed trade (owner, tokens, amount, policy, slippage) at once against fresh evidence, for a host without an API key. Answers what was understood, ALLOW or DENY with what did not pass, a link to the report, and jobToken: keep it, and give it with the jobId to every tool after this one. Where verification is paid for, it answers the payment requirements first (x402 version 2): ask the user, whose wallet signs outside of this server; the same call with the payment is charged once. clientRequestId binds nothing here: each call makes a job. Never takes keys. Next: prepare_guard_trade after ALLOW.",
  hints: WORKING,
  sells: true,
  output: Verdict.extend({ jobToken: z.string().describe("Goes with the jobId") }),
  async run({ paymentSignature: _, clientRequestId: __, ...input }, { service, address }, payment) {
    if (input.recipientAddress !== undefined) throw bad("recipientAddress", "needs an API key");
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
