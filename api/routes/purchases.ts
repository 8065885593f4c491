/** /a2mcp/purchases: what a wallet has bought, for that wallet's signature; for who kept neither token nor job id. */
import { z } from "zod";
import { named } from "../docs/operations.ts";
import { defineRoute, type Route } from "../http/route.ts";
import type { JobDeps } from "../jobs/deps.ts";
import { openPurchase, purchaseView } from "../jobs/purchases.ts";
import { JobParams, OpenedPurchase, Purchases } from "../jobs/schemas.ts";
import type { Payments } from "../payments/payments.ts";
import { receiptHeaders } from "../payments/receipt.ts";

const common = {
  tags: ["Verification"],
  auth: "public",
  addressLimit: { bucket: "a2mcp" },
  takesSignIn: "only",
  errors: ["upstream_unavailable", "unavailable"],
} as const;
const PATH = "/a2mcp/purchases";
const PAGE = 50;

const Query = z.object({
  after: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, "must be `next` of the page before")
    .optional()
    .describe("`next` of the page before"),
});

/** In the free phase nothing is sold, and there are no such paths. */
export function purchaseRoutes(deps: JobDeps): Route[] {
  const { payments } = deps;
  return payments ? [listRoute(payments), openRoute(deps, payments)] : [];
}

const listRoute = (payments: Payments): Route =>
  defineRoute({
    ...common,
    ...named("listPurchases"),
    path: PATH,
    query: Query,
    responses: { 200: { description: "The purchases", schema: Purchases } },
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
    ...common,
    ...named("openPurchase"),
    path: `${PATH}/:id`,
    params: JobParams,
    responses: {
      200: {
        description: "The purchase",
        schema: OpenedPurchase,
        headers: { "PAYMENT-RESPONSE": { description: "The receipt, as when it was paid for" } },
      },
    },
    async handle({ params, headers }) {
      const path = `${PATH}/${params.id}`;
      const payment = await payments.signIns.open(headers["sign-in-with-x"], path, params.id);
      const opened = await openPurchase(deps, payment.jobId);
      return {
        status: 200,
        body: opened,
        headers: receiptHeaders(payments.receiptOf(payment)),
        onSent: () => payments.released(payment.jobId),
      };
    },
  });
