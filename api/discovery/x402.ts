/**
 * The x402 discovery extension (`bazaar`) of POST /a2mcp/verify: describes input and output in the challenge itself.
 * Facilitators with a catalog take it from the payment, since wallets send it back.
 */
import { declareDiscoveryExtension } from "@x402/extensions/bazaar";
import type { InputDescription } from "../jobs/catalog.ts";
import { VERIFY_PATH } from "../payments/quote.ts";

/**
 * What an agent looks at first; all of it is in /openapi.json. Kept short, as it travels in a header: proxies may
 * give all headers of an answer no more than 4 KiB (nginx's `proxy_buffer_size`).
 */
const OUTPUT = {
  example: { jobId: "job_…", decision: "ALLOW", evidenceHash: "0x…", jobToken: "…" },
  schema: {
    properties: {
      jobId: { type: "string" },
      decision: { enum: ["ALLOW", "DENY"] },
      evidenceHash: { type: "string" },
      evidence: { type: "object" },
      findings: { type: "array" },
      jobToken: { type: "string" },
    },
  },
};

/**
 * @returns what to declare for the resource of a path; undefined: nothing. Jobs under /v1 need a key, so no catalog could
 *   call them.
 */
export function discoveryExtensions(
  input: InputDescription,
): (path: string) => Record<string, unknown> | undefined {
  const { $schema: _, ...inputSchema } = withoutDescriptions(input.schema);
  const declared = declareDiscoveryExtension({
    // The library leaves the method to its own server middleware, but takes it here, too.
    ...{ method: "POST" },
    bodyType: "json",
    input: input.example,
    inputSchema,
    output: OUTPUT,
  });
  return (path) => (path === VERIFY_PATH ? declared : undefined);
}

/** Names are enough in a header; the descriptions are in /openapi.json. */
function withoutDescriptions(schema: Record<string, unknown>): Record<string, unknown> {
  return JSON.parse(JSON.stringify(schema, (name, value) => (name === "description" ? undefined : value)));
}
