/** What a newcomer sees: where the service is, the key, what reports cost, and three lines to try. */
import type { LocalFile } from "./localFile.ts";

const FREE_LINES = [
  "  npm run agent                 a trade from intent to confirmation, in another terminal",
  "  npm run agent -- --relay      the same, sent by somebody else",
];
const PAID_LINES = [
  "  npm run agent -- --pay               buys the report from its wallet, then trades; in another terminal",
  "  npm run agent -- --pay --keyless      the same without the API key, in one shot",
  "  npm run assay -- payments list             what was paid, and for which report",
];

interface Extras {
  /** Of a report, such as `0.01 USDL or 0.01 USDT`; null in the free phase. */
  readonly price: string | null;
  /** null: metrics are not served. */
  readonly metricsUrl: string | null;
}

export function banner(
  { baseUrl, rpcUrl, apiKey, chainId, guard, owner, tokens }: LocalFile,
  { price, metricsUrl }: Extras,
): string[] {
  const body = JSON.stringify({
    ownerAddress: owner,
    inputAssetKey: tokens.USDL?.assetKey,
    outputAssetKey: tokens.AAPLx?.assetKey,
    amountInRaw: "250000000",
  });
  return [
    "",
    "Assay is up. The market here is a simulation.",
    ...(price === null ? [] : [`The paid phase: a report costs ${price}, by x402 version 2.`]),
    "",
    `  API      ${baseUrl}     (reference: ${baseUrl}/docs)`,
    `  MCP      ${baseUrl}/mcp     (for agents: ${baseUrl}/llms.txt)`,
    `  chain    ${rpcUrl}     (chain id ${chainId}, guard ${guard})`,
    `  API key  ${apiKey}     (for local use)`,
    ...(metricsUrl === null ? [] : [`  metrics  ${metricsUrl}`]),
    "",
    "Try:",
    "",
    `  curl -s ${baseUrl}/api/v1/assets -H 'x-api-key: ${apiKey}'`,
    `  curl -s '${baseUrl}/api/premium/history?symbol=AAPLx&days=1'`,
    `  curl ${price === null ? "-s" : "-si"} ${baseUrl}/a2mcp/verify -H 'content-type: application/json' -d '${body}'`,
    ...(price === null ? [] : ["  (the last answers 402 with PAYMENT-REQUIRED: the terms, for a wallet)"]),
    "",
    ...(price === null ? FREE_LINES : PAID_LINES),
    "",
  ];
}
