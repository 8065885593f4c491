/** /a2mcp: one-shot verification for agents, without an API key. */
import { z } from "zod";
import { Text } from "../../attestor/values/primitives.ts";
import { accept, Problem } from "../http/problems.ts";
import { InputDescription } from "../jobs/catalog.ts";
import { hintsOf } from "../jobs/hints.ts";
import { assertKnown } from "../jobs/judgeable.ts";
import { verifyOnce } from "../jobs/oneShot.ts";
import { VerifyBody } from "../jobs/requests.ts";
import { VerifyReport } from "../jobs/schemas.ts";
import { receiptHeaders } from "../payments/receipt.ts";
import { route } from "../route.ts";

const common = {
  path: "/a2mcp/verify",
  tags: ["Verification"],
  auth: "public",
  addressLimit: { bucket: "a2mcp" },
} as const;

/** Other members are nothing to it: probes come with anything. */
const PriceQuery = z.object({
  policyId: Text.min(1).max(64).optional().describe("Whose price; STRICT_LIVE without"),
});

const describeVerify = route({
  ...common,
  operationId: "describeVerify",
  summary: "Input schema and an example for POST /a2mcp/verify",
  description:
    "In the paid phase it is answered with the payment challenge instead; pay with POST. `accepts` has the prices of `policyId` (STRICT_LIVE without).",
  query: PriceQuery,
  responses: { 200: { description: "What to send", schema: InputDescription } },
  errors: ["payment_required", "unknown_policy"],
  async handle({ query: { policyId = "STRICT_LIVE" } }, service) {
    assertKnown(service, policyId);
    if (service.payments) throw service.payments.challengeProbe(policyId);
    return { status: 200, body: service.verifyInput };
  },
});

const verify = route<Record<string, never>, Record<string, never>, unknown>({
  ...common,
  method: "post",
  operationId: "verify",
  summary: "One-shot verification for agents",
  description:
    "Returns the report, with `hints` for each finding that does not pass. Its `jobToken` is the bearer token for this one job under /v1/jobs, so that an agent without a key can prepare and submit the trade. An empty body returns the input schema and an example. In the paid phase a request without payment returns 402. The same request with the header PAYMENT-SIGNATURE buys the report. Repeated with the same header, it returns the same report and receipt. A second payment by the same payer for the same body within ten minutes (or `maxTimeoutSeconds`, if longer) is not settled. It returns the first answer with `Idempotent-Replayed: true`. The x402 extension `payment-identifier` with another id buys again.",
  body: VerifyBody,
  bodyMode: "unvalidated",
  responses: {
    200: {
      description: "The report with the job's token",
      schema: VerifyReport,
      headers: {
        "Idempotent-Replayed": {
          description:
            "`true`: bought by an earlier payment of the same payer; the one sent now is not settled",
        },
      },
    },
  },
  takesPayment: true,
  errors: [
    "input_required",
    "unsupported_asset",
    "unknown_policy",
    "limit_too_wide",
    "idempotency_conflict",
    "upstream_unavailable",
  ],
  async handle({ body, headers, address }, service) {
    const { payments, verifyInput } = service;
    if (isEmpty(body))
      throw new Problem("input_required", "Send the trade to verify as JSON; see schema and example.", {
        members: { schema: verifyInput.schema, example: verifyInput.example },
      });
    const asked = accept(VerifyBody, body);
    // Each has an entry in the decision log, which nobody shall fill for nothing.
    const ofDay = payments ? {} : await service.oneShots.take(address);
    const { report, jobToken, receipt, replayed } = await verifyOnce(
      service,
      asked,
      headers["payment-signature"],
    );
    return {
      status: 200,
      body: { ...report, hints: hintsOf(service, report), jobToken },
      headers: {
        ...ofDay,
        ...receiptHeaders(receipt),
        ...(replayed ? { "Idempotent-Replayed": "true" } : {}),
      },
      ...(receipt === null ? {} : { onSent: () => payments?.released(report.jobId) }),
    };
  },
});

function isEmpty(body: unknown): boolean {
  return body === undefined || body === null || (typeof body === "object" && Object.keys(body).length === 0);
}

export const a2mcpRoutes = [describeVerify, verify];
