/**
 * The tools of a host without an API key. One differs: no key could own a job. So `prepare_verification` is the one-shot
 * verification, paid for at once where required. It returns the token that opens the job to later tools.
 */
import { accept } from "../http/problems.ts";
import { VerifyInput } from "../jobs/schemas.ts";
import { failureOf, ToolFailure } from "./failure.ts";
import { bodyOf } from "./inputs.ts";
import { documentLink } from "./resources.ts";
import { OpenedVerdict, OpenVerificationInput } from "./schemas.ts";
import { assetsOf, defineTool, TOOLS, type Tool, told, working } from "./tools.ts";
import { verdictOf } from "./views.ts";

const NAME = "prepare_verification";

const PAY_HERE =
  "Ask the user, then have the user's wallet sign one of accepts as an x402 version 2 payment. Call prepare_verification again with the same arguments and the payment's base64 as paymentSignature. (An x402 client sends the same call again with the payment in _meta.) Keep the payment until you have the report: the same one is charged once.";

const openVerification = defineTool({
  ...told("prepare_verification without a key"),
  name: NAME,
  hints: working,
  sells: true,
  isLong: true,
  input: OpenVerificationInput,
  output: OpenedVerdict,
  async run(backend, { paymentSignature: _, ...input }, payment) {
    const assets = await assetsOf(backend);
    const body = accept(VerifyInput, bodyOf(input, assets));
    const { content, ...sold } = await backend.verifyOnce(body, payment).catch((error: unknown) => {
      const fields = failureOf(error);
      throw fields.code === "payment_required" ? new ToolFailure({ ...fields, next: PAY_HERE }) : error;
    });
    const { jobId, jobToken, report } = content;
    const verdict = verdictOf(content, assets, input.amount === undefined);
    return {
      ...sold,
      content: {
        ...verdict,
        jobToken,
        next: `${verdict.next} Keep jobToken: the tools take it with the jobId.`,
      },
      links: documentLink(jobId, report, jobToken),
    };
  },
});

export const OPEN_TOOLS: readonly Tool[] = TOOLS.map((tool) =>
  tool.name === NAME ? openVerification : tool,
);
