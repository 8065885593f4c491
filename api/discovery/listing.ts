/** The entry of POST /a2mcp/verify for marketplaces of services that agents call: service, price, parameters, a call. */
import { z } from "zod";
import { PROBLEMS } from "../http/problems.ts";
import { VerifyReport } from "../jobs/schemas.ts";
import { type Facts, pathOf, priceText, routeOf, SUMMARY } from "./facts.ts";

/** What is read of the input's JSON Schema. */
const InputSchema = z.object({
  properties: z.record(
    z.string(),
    z.looseObject({
      // One that stands apart, by its name, is an object.
      type: z.string().default("object"),
      description: z.string().optional(),
      default: z.unknown().optional(),
      minimum: z.number().optional(),
      maximum: z.number().optional(),
    }),
  ),
  required: z.array(z.string()),
});

/** Quotes a text as one shell word. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function curlOf(url: string, body: unknown): string {
  return `curl -s -X POST ${quoted(url)} -H 'content-type: application/json' -d ${quoted(JSON.stringify(body))}`;
}

/** Markdown. */
export function listingText(facts: Facts): string {
  const { baseUrl, prices, verifyInput, addressLimitPerMinute } = facts;
  const route = routeOf(facts, "verify");
  const url = `${baseUrl}${pathOf(route)}`;
  const price =
    prices === null
      ? "free at the moment"
      : `per call, with x402 version 2; under STRICT_LIVE: ${priceText(prices)}`;
  return `# Assay: verification of tokenized-stock trades

${SUMMARY}

| | |
|---|---|
| Service | ${route.summary} |
| Type | A2MCP, one call, one answer |
| Endpoint | ${url} |
| Method | ${route.method.toUpperCase()}, \`Content-Type: application/json\` |
| Authentication | none; ${addressLimitPerMinute} requests a minute per address |
| Price | ${price} |

The service judges one fixed trade by a policy against fresh evidence and answers ALLOW or DENY with its findings. It
never asks for a private key, and signs no payments or trades. Data is indicative only and is not advice.

## Parameters

| name | type | required | meaning |
|---|---|---|---|
${parameters(verifyInput.schema).join("\n")}

## Call

${prices === null ? "" : "Without payment this returns 402 with the terms in the header PAYMENT-REQUIRED; the wallet retries the same request with PAYMENT-SIGNATURE and gets the report with PAYMENT-RESPONSE.\n\n"}\`\`\`sh
${curlOf(url, verifyInput.example)}
\`\`\`

Asset keys: GET ${baseUrl}/a2mcp/assets. Policies: GET ${baseUrl}/a2mcp/policies. An empty body returns 400 \`input_required\` with the JSON Schema of the parameters and an example, free of charge.

## Answer

200, \`application/json\`: ${Object.keys(VerifyReport.shape)
    .map((name) => `\`${name}\``)
    .join(", ")}. \`decision\` is ALLOW or DENY; \`findings\`
say why; \`evidence\` is bound by \`evidenceHash\`, so that anyone can check the report again; \`jobToken\` is the bearer token for the
next steps under ${baseUrl}/v1/jobs, and with the tools of ${baseUrl}/mcp.

## Errors

\`application/problem+json\` with a stable \`code\`:

| status | code | meaning |
|---|---|---|
${problems(facts).join("\n")}
`;
}

function parameters(schema: unknown): string[] {
  const { properties, required } = InputSchema.parse(schema);
  return Object.entries(properties).map(([name, member]) => {
    const { type, description = "", minimum, maximum } = member;
    const range = minimum === undefined || maximum === undefined ? "" : `, ${minimum} to ${maximum}`;
    const standard = member.default === undefined ? "no" : `no, \`${String(member.default)}\``;
    const needed = required.includes(name) ? "yes" : standard;
    // Markdown takes what is in angle brackets for HTML.
    const meaning = description.replace(/\S*<\S*/g, "`$&`");
    return `| \`${name}\` | ${type}${range} | ${needed} | ${meaning} |`;
  });
}

function problems(facts: Facts): string[] {
  const route = routeOf(facts, "verify");
  const codes = new Set([
    ...route.errors,
    ...(facts.prices === null ? [] : (["payment_required", "payment_in_progress"] as const)),
    ...(["invalid_request", "rate_limited"] as const),
  ]);
  if (facts.prices === null) codes.delete("payment_required");
  return [...codes]
    .map((code) => ({ code, ...PROBLEMS[code] }))
    .sort((one, other) => one.status - other.status || (one.code < other.code ? -1 : 1))
    .map(({ status, code, title }) => `| ${status} | \`${code}\` | ${title} |`);
}
