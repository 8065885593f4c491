/**
 * /.well-known/x402: what is sold here and for how much, for agents and crawlers that come with nothing. In the free
 * phase nothing is sold, and there is no such path.
 *
 * There is no standard for its content yet. This one has, under `resources`, entries in the form of x402's own
 * discovery listings (`DiscoveryResource` of @x402/extensions), with the HTTP method beside them.
 */
import { z } from "zod";
import { POLICIES } from "../../attestor/policies/policy.ts";
import type { UnixMs } from "../../attestor/values/time.ts";
import SOLD_HERE from "../discovery/sold.json" with { type: "json" };
import { named } from "../docs/operations.ts";
import { constantReply } from "../http/cacheReply.ts";
import { defineRoute, type Route } from "../http/route.ts";
import { PaymentRequired } from "../payments/challenge.ts";
import type { Payments } from "../payments/payments.ts";
import { withoutQuote } from "../payments/quote.ts";
import { Requirements } from "../payments/requirements.ts";
import { Tariff } from "../payments/tariff.ts";

const Listed = z
  .object({
    x402Version: z.literal(2).describe("Version of the x402 protocol"),
    resources: z.array(
      z.object({
        resource: z.string().describe("URL, with {names} in place of a job's id"),
        type: z.enum(["http", "mcp"]),
        method: z.enum(["GET", "POST"]),
        toolName: z.string().optional().describe("Of an MCP server: the tool that sells"),
        x402Version: z.literal(2).describe("Version of the x402 protocol"),
        description: z.string(),
        mimeType: z.string(),
        accepts: z
          .array(Requirements)
          .describe(
            "Prices by payment option, each with the policies that it covers, and of the largest trade where `tariff` has them by size. To pay, use the terms of the 402 answer, which name the purchase",
          ),
        lastUpdated: z.string().meta({ format: "date-time" }),
        extensions: z.record(z.string(), z.unknown()).optional(),
      }),
    ),
    tariff: Tariff.optional(),
  })
  .meta({ id: "X402Resources" });

const Sold = Listed.shape.resources.element.pick({ method: true, toolName: true, description: true });
const SOLD = z.array(Sold.extend({ path: z.string() })).parse(SOLD_HERE);

export interface WellKnownDeps {
  readonly payments: Pick<Payments, "challengeProbe"> | null;
  /** Where clients find the service, without a slash at its end. */
  readonly publicUrl: () => string;
  readonly now: () => UnixMs;
  /** x402 extensions of the resource of a path; here they need not fit into a header. */
  readonly extensions: (path: string) => Record<string, unknown> | undefined;
}

export function wellKnownRoutes({ payments, publicUrl, now, extensions }: WellKnownDeps): Route[] {
  if (payments === null) return [];
  const listed = (): z.infer<typeof Listed> => {
    const { accepts, tariff } = pricesOf(payments);
    const lastUpdated = new Date(now()).toISOString();
    return {
      x402Version: 2,
      resources: SOLD.map(({ method, path, description, ...rest }) => {
        const declared = extensions(path);
        return {
          resource: `${publicUrl()}${path}`,
          type: rest.toolName === undefined ? "http" : "mcp",
          method,
          ...rest,
          x402Version: 2,
          description,
          mimeType: "application/json",
          accepts,
          lastUpdated,
          ...(declared === undefined ? {} : { extensions: declared }),
        };
      }),
      ...(tariff === undefined ? {} : { tariff }),
    };
  };
  return [
    defineRoute({
      path: "/.well-known/x402",
      ...named("x402Resources"),
      tags: ["Operations"],
      auth: "public",
      responses: {
        200: { description: "The paid resources", schema: Listed },
        304: { description: "The client already has it" },
      },
      // Prices change with a restart alone.
      handle: constantReply(() => JSON.stringify(listed()), "public, max-age=300"),
    }),
  ];
}

/** One entry a way to pay and price, in the order of the policies. */
function pricesOf(payments: Pick<Payments, "challengeProbe">) {
  let tariff: Tariff | undefined;
  const known = new Map<string, { terms: Requirements; policies: string[] }>();
  for (const policyId of POLICIES.keys()) {
    // Taken from the challenge itself: a second list of prices could differ.
    const challenge = PaymentRequired.safeParse(payments.challengeProbe(policyId).members);
    if (challenge.success) tariff = challenge.data.tariff;
    for (const offered of challenge.success ? challenge.data.accepts : []) {
      const terms = withoutQuote(offered);
      const name = JSON.stringify(terms);
      const entry = known.get(name) ?? { terms, policies: [] };
      known.set(name, { ...entry, policies: [...entry.policies, policyId] });
    }
  }
  const accepts = [...known.values()].map(({ terms, policies }) => ({
    ...terms,
    extra: { ...terms.extra, policies },
  }));
  return { accepts, tariff };
}
