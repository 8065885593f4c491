/**
 * The seven tools of a host without an API key. One is another: there is nobody whom a job could belong to, so
 * `prepare_verification` is the one-shot verification, paid for at once where it has to be, and answers the token that
 * opens the job to the tools after it.
 */
import { failureOf, ToolFailure } from "./failure.ts";
import { afterJob } from "./next.ts";
import { OpenedJob, OpenVerificationInput, PaymentRequired } from "./schemas.ts";
import { defineTool, paying, TOOLS, type Tool, told } from "./tools.ts";

const NAME = "prepare_verification";

const PAY_HERE =
  "Ask the user, then have the user's wallet sign one of accepts as an x402 version 2 payment, and call prepare_verification again with the same arguments and the payment's base64 as paymentSignature. (An x402 client sends the same call again with the payment in _meta.) Keep the payment until you have the report: the same one is charged once.";

const openVerification = defineTool({
  ...told("prepare_verification without a key"),
  name: NAME,
  annotations: { ...paying, idempotentHint: false },
  input: OpenVerificationInput,
  output: OpenedJob,
  due: PaymentRequired,
  async run(backend, { clientRequestId: _, paymentSignature: __, ...body }, payment) {
    if (!backend.verifyOnce) throw new Error("hosts without a key are not served here");
    try {
      return await backend.verifyOnce(body, payment);
    } catch (error) {
      const fields = failureOf(error);
      throw fields.code === "payment_required" ? new ToolFailure({ ...fields, next: PAY_HERE }) : error;
    }
  },
  next: (job) => `${afterJob(job)} Keep jobToken: the tools take it with the jobId.`,
});

export const OPEN_TOOLS: readonly Tool[] = TOOLS.map((tool) =>
  tool.name === NAME ? openVerification : tool,
);
