/** The call of an operation that shows how it is used: required parameters alone, and a whole body. */
import type { Registry } from "../../attestor/registry.ts";
import { describeInput } from "../jobs/verifyInput.ts";
import type { Call } from "./calls.ts";
import type { Listed } from "./described.ts";
import { exampleOf } from "./example.ts";
import type { Schema } from "./schema.ts";

/** Values that this service knows. */
export interface CallExamples {
  /** By the names of members of a body. */
  readonly members: Readonly<Record<string, unknown>>;
  /** By the names of parameters. */
  readonly parameters: Readonly<Record<string, string>>;
}

export interface CallDeps {
  readonly baseUrl: string;
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly examples: CallExamples;
}

/** Paths that take part of the log's tree: its first tile. */
const TILES: Readonly<Record<string, string>> = { level: "0", name: "000.p/1" };

export function callOf(operation: Listed, { baseUrl, schemas, examples }: CallDeps): Call {
  const { method, path, security, parameters = [], requestBody, responses } = operation;
  const shown = (name: string): string => {
    const known = examples.parameters[name];
    return known === undefined ? `{{${variableName(name)}}}` : encodeURIComponent(known);
  };
  const inPath = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    path.includes("/tile/") && TILES[name] !== undefined ? TILES[name] : shown(name),
  );
  const query = parameters
    .filter(({ in: place, required }) => place === "query" && required)
    .map(({ name }) => `${name}=${shown(name)}`)
    .join("&");
  const body = requestBody?.content["application/json"]?.schema;
  const hasKey = security.some((scheme) => !("jobToken" in scheme));
  const hasToken = security.length > 0 && !hasKey;
  // What is no problem and has a body stands in the operation itself.
  const good = responses["200"] ?? responses["201"];
  const content = good !== undefined && "content" in good ? good.content : {};
  const type = Object.keys(content ?? {})[0] ?? "application/json";
  return {
    method: method.toUpperCase(),
    url: `${baseUrl}${inPath}${query === "" ? "" : `?${query}`}`,
    headers: {
      ...(hasKey ? { "x-api-key": "{{ASSAY_API_KEY}}" } : {}),
      ...(hasToken ? { authorization: "Bearer {{JOB_TOKEN}}" } : {}),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: exampleOf(body, schemas, examples.members) }),
    answer: type === "application/octet-stream" ? "bytes" : type.endsWith("json") ? "json" : "text",
  };
}

/** `jobId` as `JOB_ID`. */
const variableName = (name: string): string => name.replace(/[A-Z]/g, "_$&").toUpperCase();

/** A hash of no transaction: the call is whole, and submits nothing. */
const NO_TRANSACTION = `0x${"11".repeat(32)}`;

/** @throws Error for a registry without a stock or a settlement token */
export function callExamples(registry: Registry): CallExamples {
  const { example } = describeInput(registry);
  const stock = registry.assets.find(({ assetKey }) => assetKey === example.outputAssetKey);
  const { symbol = "", underlying = null } = stock ?? {};
  return {
    members: {
      ...example,
      recipientAddress: example.ownerAddress,
      clientRequestId: "my-first-trade",
      transactionHash: NO_TRANSACTION,
      name: "Your name",
      email: "you@example.com",
      purpose: "Trying the API",
    },
    parameters: { symbol, ...(underlying === null ? {} : { underlying }) },
  };
}
