/** Payloads of the real providers, as they were captured. */
import { readFileSync } from "node:fs";

const FOLDER = new URL("../../market/providers/captured/", import.meta.url);

export const captured = (name: string): any =>
  JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), "utf8"));

/** What was captured of a path, whatever its query; undefined: nothing. */
export function capturedAt(name: string, path: string): unknown {
  const request = Object.keys(captured(name)).find((key) => key.split("?")[0] === `GET ${path}`);
  return request && captured(name)[request];
}

/** How Binance lists a perpetual on a stock. */
export const binanceListing = (symbol: string, more: object = {}) => ({
  symbol,
  baseAsset: symbol.replace("USDT", ""),
  contractType: "TRADIFI_PERPETUAL",
  underlyingType: "EQUITY",
  status: "TRADING",
  ...more,
});

/** A mint of Token-2022 as a node of Solana tells it with `jsonParsed`, whose multiplier is the given. */
export function solanaMint(multiplier: object, decimals = 8): any {
  const account = structuredClone(captured("solana").response.result.value[0]);
  const { info } = account.data.parsed;
  info.decimals = decimals;
  const config = info.extensions.find(({ extension }: any) => extension === "scaledUiAmountConfig");
  Object.assign(config.state, multiplier);
  return account;
}
