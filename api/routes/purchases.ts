/** /a2mcp/purchases: what a wallet has bought, for that wallet's signature; for who kept neither token nor job id. */
import { z } from "zod";
import { defineRoute, type Route } from "../http/route.ts";
import type { JobDeps } from "../jobs/deps.ts";
import { ProofsQuery, withoutItsProofs } from "../jobs/omitProofs.ts";
import { openPurchase, purchaseView } from "../jobs/purchases.ts";
import { JobParams, OpenedPurchase, Purchases } from "../jobs/schemas.ts";
import type { Payments } from "../payments/payments.ts";
import { receiptHeaders } from "../payments/receipt.ts";

const tags = ["Verification"];
const addressLimit = { bucket: "a2mcp" };
const PATH = "/a2mcp/purchases";
const PAGE = 50;

const Query = z.object({
  after: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, "must be `next` of the page before")
    .optional(),
});

/** In the free phase nothing is sold, and there are no such paths. */
export function purchaseRoutes(deps: JobDeps): Route[] {
  const { payments } = deps;
  return payments ? [listRoute(payments), openRoute(deps, payments)] : [];
}

const listRoute = (payments: Payments): Route =>
  defineRoute({
    method: "get",
    path: PATH,
    operationId: "listPurchases",
    summary: "What the wallet that signs in has bought",
    description:
      "Jobs that settled payments of the wallet paid for, the latest first, fifty a page. Without the header SIGN-IN-WITH-X the answer is 402 with the message to sign; each signature opens one request.",
    tags,
    auth: "public",
    addressLimit,
    takesSignIn: "only",
    query: Query,
    responses: { 200: { description: "The purchases", schema: Purchases } },
    errors: ["upstream_unavailable", "unavailable"],
    async handle({ query, headers }) {
      const after = query.after ?? null;
      const found = await payments.signIns.list(headers["sign-in-with-x"], PATH, after, PAGE);
      const shown = found.slice(0, PAGE);
      const next = found.length > PAGE ? (shown.at(-1)?.payment.jobId ?? null) : null;
      return { status: 200, body: { purchases: shown.map((job) => purchaseView(payments, job)), next } };
    },
  });

const openRoute = (deps: JobDeps, payments: Payments): Route =>
  defineRoute({
    method: "get",
    path: `${PATH}/:id`,
    operationId: "openPurchase",
    summary: "The latest report of a job that the wallet has bought, with a new token",
    description:
      "As POST /a2mcp/verify answered it, with the job's latest report. `jobToken` opens the job's calls under /v1/jobs; it is null once the job is a day old, when nothing more can be prepared. Without the header SIGN-IN-WITH-X the answer is 402 with the message to sign.",
    tags,
    auth: "public",
    addressLimit,
    takesSignIn: "only",
    params: JobParams,
    query: ProofsQuery,
    responses: {
      200: {
        description: "The purchase",
        schema: OpenedPurchase,
        headers: { "PAYMENT-RESPONSE": { description: "The receipt, as when it was paid for" } },
      },
    },
    errors: ["upstream_unavailable", "unavailable"],
    async handle({ params, query, headers }) {
      const path = `${PATH}/${params.id}`;
      const payment = await payments.signIns.open(headers["sign-in-with-x"], path, params.id);
      const opened = await openPurchase(deps, payment.jobId);
      return {
        status: 200,
        body: query.proofs === "omit" ? withoutItsProofs(opened) : opened,
        headers: receiptHeaders(payments.receiptOf(payment)),
        onSent: () => payments.released(payment.jobId),
      };
    },
  });
