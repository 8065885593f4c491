/** /llms.txt (llmstxt.org): title, summary, what an agent must know at once, then lists of links. */
import { documents } from "../docs/documents.ts";
import { pathOf } from "../docs/openapi.ts";
import type { Route } from "../http/route.ts";
import { TOOLS } from "../mcp/tools.ts";
import type { Service } from "../service.ts";
import { type Price, pricesOf, priceText } from "./prices.ts";

/** What the text says of this service, and the routes that it links to. */
interface Facts {
  readonly baseUrl: string;
  readonly version: string;
  readonly simulated: boolean;
  /** Ways to pay for a verification by STRICT_LIVE; null in the free phase. */
  readonly prices: readonly Price[] | null;
  readonly routes: readonly Route[];
  /** Requests a minute without a key, of one address. */
  readonly addressLimitPerMinute: number;
}

const SUMMARY =
  "Data and trade verification for tokenized US stocks: a trade executes only if the facts that it was judged on were recorded, signed and can be checked again by anyone.";

/** The tag of routes that are not what an agent comes for. */
const SECONDARY = "Operations";

export function llmsText(service: Service, routes: readonly Route[]): string {
  const baseUrl = service.publicUrl();
  const { version, simulated, config, payments } = service;
  const { addressLimitPerMinute } = config;
  const facts = { baseUrl, version, simulated, prices: pricesOf(payments), routes, addressLimitPerMinute };
  const tags = [...new Set(routes.flatMap((route) => route.tags))].filter((tag) => tag !== SECONDARY);
  const of = (tag: string) =>
    routes.filter((route) => route.tags.includes(tag)).map((route) => link(facts, route));
  const sections: [string, string[]][] = [
    ["Start here", startLinks(facts)],
    [
      "MCP tools",
      TOOLS.map((tool) => `- [${tool.name}](${baseUrl}/mcp): ${firstSentence(tool.description)}`),
    ],
    ["Documents", documentLinks(facts)],
    ...tags.map((tag): [string, string[]] => [tag, of(tag)]),
    // What readers may skip, by the convention.
    ["Optional", of(SECONDARY)],
  ];
  return [
    "# Assay",
    "",
    `> ${SUMMARY}`,
    "",
    ...notes(facts).map((note) => `- ${note}`),
    "",
    "How an agent starts:",
    "",
    ...steps(facts).map((step, index) => `${index + 1}. ${step}`),
    ...sections.flatMap(([title, lines]) => ["", `## ${title}`, "", ...lines]),
    "",
  ].join("\n");
}

function notes(facts: Facts): string[] {
  const { baseUrl, simulated, prices, addressLimitPerMinute } = facts;
  return [
    `Base URL: ${baseUrl}, version ${facts.version}, alpha.`,
    ...(simulated ? ["This is a local world: its market is simulated, its tokens are worth nothing."] : []),
    "Data is indicative only and is not advice. Name Assay as the source where you show it.",
    prices === null
      ? "Verification is free at the moment."
      : `Verification is paid with x402 version 2 (402, PAYMENT-REQUIRED, PAYMENT-SIGNATURE, PAYMENT-RESPONSE); price under STRICT_LIVE: ${priceText(prices)}.`,
    `Keys are free: POST ${baseUrl}${pathOf(routeOf(facts, "applyForKey"))} with name, email and purpose applies for one; it works at once where the answer says \`state: active\`. Send it as \`x-api-key: <API_KEY>\` or, on /v1 and /mcp, \`Authorization: Bearer <API_KEY>\`. Without a key POST ${baseUrl}${pathOf(routeOf(facts, "verify"))} and the MCP tool \`prepare_verification\` together take up to ${addressLimitPerMinute} requests a minute from one address.`,
    "Never send a private key or a seed phrase. The service signs no payments and no trades: the user's wallet does.",
    "Errors are application/problem+json with a stable `code`; after 429 and 503 wait as Retry-After says.",
    "Amounts are decimal strings in raw units; 100 bps = 1%; asset keys are `eip155:<chainId>:<address>`.",
  ];
}

function steps(facts: Facts): string[] {
  const { baseUrl } = facts;
  const url = (operationId: string) => `${baseUrl}${pathOf(routeOf(facts, operationId))}`;
  return [
    `With MCP: connect to ${baseUrl}/mcp (Streamable HTTP; no key needed, an API key as bearer for jobs of your own). Or over standard input and output, from a checkout of the repository: \`node scripts/assay.ts mcp --url ${baseUrl}\` with ASSAY_API_KEY set. Without a key \`prepare_verification\` returns a \`jobToken\`, which the other tools take${facts.prices === null ? "" : "; tools that sell a report are paid with x402 in `_meta`"}.`,
    `Without a key: GET ${url("listOpenAssets")} lists the asset keys and GET ${url("listOpenPolicies")} the policies. POST ${url("verify")} with an empty body returns the input schema and an example; with a trade it returns a report and a \`jobToken\` for the next steps.`,
    `With a key over HTTP: GET ${url("listAssets")}, POST ${url("createJob")}, POST ${url("prepareExecution")}; the user's wallet sends \`approval\` and \`guardCall\`; POST ${url("submitTransaction")}; then GET ${url("getJob")} until the execution is confirmed.`,
  ];
}

function startLinks({ baseUrl }: Facts): string[] {
  return [
    `- [MCP server](${baseUrl}/mcp): ${TOOLS.length} tools and resources, over Streamable HTTP`,
    `- [OpenAPI 3.1](${baseUrl}/openapi.json): both APIs, made from the schemas that validate the requests`,
    `- [API reference](${baseUrl}/docs): the same for people`,
    `- [server.json](${baseUrl}/server.json): the entry for MCP registries`,
  ];
}

const documentLinks = ({ baseUrl }: Facts): string[] =>
  [...documents].map(([name, { about }]) => `- [${name}](${baseUrl}/docs/${name}): ${about}`);

/** @throws Error where there is no such route */
function routeOf({ routes }: Facts, operationId: string): Route {
  const found = routes.find((route) => route.operationId === operationId);
  if (found === undefined) throw new Error(`there is no route ${operationId}`);
  return found;
}

const AUTH: Readonly<Record<Route["auth"], string>> = {
  public: "no key",
  key: "API key",
  keyOrJobToken: "API key or job token",
  keyOrAnyToken: "API key, job token or sign token",
};

function link({ baseUrl }: Facts, route: Route): string {
  const call = `${route.method.toUpperCase()} ${pathOf(route)}`;
  // As the viewer of /docs names its places.
  const place = `#/${encodeURIComponent(route.tags[0] ?? "default")}/${route.operationId}`;
  return `- [${call}](${baseUrl}/docs${place}): ${route.summary} (${AUTH[route.auth]})`;
}

function firstSentence(text: string): string {
  return /^.*?\.(?=\s|$)/.exec(text)?.[0] ?? text;
}
