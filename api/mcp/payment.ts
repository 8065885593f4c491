/**
 * x402 over MCP, as its transport has it (x402 version 2, `specs/transports-v2/mcp.md`, the tool-result binding): how a
 * payment comes in with a call, and how terms and receipts go out.
 *
 * Two revisions of it differ in `content[0].text`: the older one wants the terms wrapped as `x402/error`, the newer
 * one as they are. The text has both, beside what every failure of a tool says.
 */
import type { CallToolResult } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Receipt } from "../payments/receipt.ts";
import { Requirements } from "../payments/requirements.ts";
import { failureText, type ToolFailureFields } from "./failure.ts";

/** The content of the header PAYMENT-REQUIRED, x402 version 2. */
const PaymentRequired = z.object({
  x402Version: z.literal(2),
  error: z.string().optional(),
  resource: z.object({
    url: z.string(),
    description: z.string().optional(),
    mimeType: z.string().optional(),
    serviceName: z.string().optional(),
    tags: z.array(z.string()).optional(),
    iconUrl: z.string().optional(),
  }),
  accepts: z.array(Requirements),
  extensions: z.record(z.string(), z.unknown()).optional(),
});

/** The content of the header PAYMENT-RESPONSE. */
export const Settlement = z.object({
  success: z.boolean(),
  transaction: z.string(),
  network: z.string(),
  payer: z.string().optional(),
  amount: z.string().optional(),
});

export const settlementOf = (receipt: Receipt | null): z.infer<typeof Settlement> | null =>
  receipt === null ? null : { success: true, ...receipt };

const PAYMENT = "x402/payment";
const RECEIPT = "x402/payment-response";
const ERROR = "x402/error";
const CODE = 402;

const HOW = "Pay by one of `accepts` and send the same call again with the payment (x402 version 2).";

/**
 * @param meta of a call
 * @returns the payment as the text of the header PAYMENT-SIGNATURE, unchecked; undefined where there is none
 */
export function paymentIn(meta: unknown): string | undefined {
  if (typeof meta !== "object" || meta === null) return undefined;
  const payment = (meta as Record<string, unknown>)[PAYMENT];
  if (payment === undefined || payment === null) return undefined;
  return Buffer.from(JSON.stringify(payment)).toString("base64");
}

/** What goes along with an answer that was paid for. */
export function receiptMeta(settlement: object | null | undefined): Record<string, unknown> {
  return settlement ? { [RECEIPT]: settlement } : {};
}

/**
 * The terms of a paid tool, as its answer to who has not paid.
 * @returns null where the failure is another one
 */
export function paymentDue(
  tool: string,
  fields: ToolFailureFields,
  requestId: string | undefined,
): CallToolResult | null {
  const terms = PaymentRequired.safeParse(fields.members?.paymentRequired);
  if (fields.code !== "payment_required" || !terms.success) return null;
  const required = {
    ...terms.data,
    resource: { ...terms.data.resource, url: `mcp://tool/${tool}` },
  };
  // Why a payment is refused is the same everywhere; how to send one is not.
  const detail = fields.members?.paymentError === undefined ? HOW : fields.detail;
  const { paymentRequired: _, ...members } = fields.members ?? {};
  const text = {
    ...JSON.parse(failureText({ ...fields, detail, members }, requestId)),
    ...required,
    [ERROR]: { code: CODE, message: detail, data: required },
  };
  return {
    isError: true,
    content: [{ type: "text", text: JSON.stringify(text) }],
    structuredContent: required,
  };
}
