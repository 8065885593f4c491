/** What a newcomer sees: where the service is, the key, and three lines to try. */
import type { LocalFile } from "./localFile.ts";

const EXAMPLE_OWNER = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

export function banner({ baseUrl, rpcUrl, apiKey, chainId, guard, tokens }: LocalFile): string[] {
  const key = (symbol: string) => `eip155:${chainId}:${tokens[symbol]}`;
  const body = JSON.stringify({
    ownerAddress: EXAMPLE_OWNER,
    inputAssetKey: key("USDL"),
    outputAssetKey: key("AAPLx"),
    amountInRaw: "250000000",
  });
  return [
    "",
    "Assay is up. The market here is a simulation.",
    "",
    `  API      ${baseUrl}     (reference: ${baseUrl}/docs)`,
    `  chain    ${rpcUrl}     (chain id ${chainId}, guard ${guard})`,
    `  API key  ${apiKey}     (for local use)`,
    "",
    "Try:",
    "",
    `  curl -s ${baseUrl}/api/v1/assets -H 'x-api-key: ${apiKey}'`,
    `  curl -s '${baseUrl}/api/premium/history?symbol=AAPLx&days=1'`,
    `  curl -s ${baseUrl}/a2mcp/verify -H 'content-type: application/json' -d '${body}'`,
    "",
    "  npm run agent                 a trade from intent to confirmation, in another terminal",
    "  npm run agent -- --relay      the same, sent by somebody else",
    "",
  ];
}
