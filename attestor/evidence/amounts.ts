/** Amounts of a trade as its findings name them. */
import { wholeUnits } from "../values/wholeUnits.ts";
import type { TradeFacts } from "./evidence.ts";

/**
 * `0.00025 USDL (250 raw units)`, exact.
 * @param raw units of the trade's input or output token
 */
export function amountWords(trade: TradeFacts, token: "input" | "output", raw: string): string {
  const isStock = (trade.side === "buy") === (token === "output");
  const decimals = token === "input" ? trade.inputDecimals : trade.outputDecimals;
  const symbol = isStock ? trade.symbol : trade.settlementSymbol;
  return `${wholeUnits(raw, decimals)} ${symbol} (${raw} raw units)`;
}
