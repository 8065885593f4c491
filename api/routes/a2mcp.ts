/** /a2mcp/verify: one-shot verification for agents, without an API key. */
import { z } from "zod";
import { Text } from "../../attestor/values/primitives.ts";
import { named } from "../docs/operations.ts";
import type { DailyCap } from "../http/limits.ts";
import { accept, Problem } from "../http/problems.ts";
import { defineRawRoute, defineRoute, type Route } from "../http/route.ts";
import { InputDescription } from "../jobs/catalog.ts";
import type { JobDeps } from "../jobs/deps.ts";
import { hintsOf } from "../jobs/hints.ts";
import { assertKnown } from "../jobs/judgeable.ts";
import { verifyOnce } from "../jobs/oneShot.ts";
import { VerifyBody, VerifyReport } from "../jobs/schemas.ts";
import { describeInput } from "../jobs/verifyInput.ts";
import { receiptHeaders } from "../payments/receipt.ts";

const common = { tags: ["Verification"], auth: "public", addressLimit: { bucket: "a2mcp" } } as const;

/** @param oneShots what an address may have of reports that nobody pays for */
export function a2mcpRoutes(deps: JobDeps, oneShots: DailyCap): Route[] {
  const input = describeInput(deps.chain.deployment.registry);
  return [describeRoute(deps, input), verifyRoute(deps, input, oneShots)];
}

/** Other members are nothing to it: probes come with anything. */
const PriceQuery = z.object({
  policyId: Text.min(1).max(64).optional().describe("Whose price; STRICT_LIVE without"),
});

type Input = ReturnType<typeof describeInput>;

const describeRoute = (deps: JobDeps, input: Input): Route =>
  defineRoute({
    ...common,
    ...named("describeVerify"),
    path: "/a2mcp/verify",
    query: PriceQuery,
    responses: { 200: { description: "What to send", schema: InputDescription } },
    errors: ["payment_required", "unknown_policy"],
    async handle({ query: { policyId = "STRICT_LIVE" } }) {
      assertKnown(deps, policyId);
      if (deps.payments) throw deps.payments.challengeProbe(policyId);
      return { status: 200, body: input };
    },
  });

const verifyRoute = (deps: JobDeps, input: Input, oneShots: DailyCap): Route =>
  defineRawRoute({
    method: "post",
    ...common,
    ...named("verify"),
    path: "/a2mcp/verify",
    body: VerifyBody,
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
    async handle({ body, headers, address }) {
      if (isEmpty(body))
        throw new Problem("input_required", "Send the trade to verify as JSON; see schema and example.", {
          members: { schema: input.schema, example: input.example },
        });
      const asked = accept(VerifyBody, body);
      // Each has an entry in the decision log, which nobody shall fill for nothing.
      const ofDay = deps.payments ? {} : await oneShots.take(address);
      const { report, jobToken, receipt, replayed } = await verifyOnce(
        deps,
        asked,
        headers["payment-signature"],
      );
      return {
        status: 200,
        body: { ...report, hints: hintsOf(deps, report), jobToken },
        headers: {
          ...ofDay,
          ...receiptHeaders(receipt),
          ...(replayed ? { "Idempotent-Replayed": "true" } : {}),
        },
        ...(receipt === null ? {} : { onSent: () => deps.payments?.released(report.jobId) }),
      };
    },
  });

function isEmpty(body: unknown): boolean {
  return body === undefined || body === null || (typeof body === "object" && Object.keys(body).length === 0);
}
