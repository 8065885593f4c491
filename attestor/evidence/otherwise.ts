/** The same facts, asked otherwise: what remedies are looked for in. */
import { pathThrough, tinyAmount } from "../pools/quote.ts";
import type { Evidence } from "./evidence.ts";
import type { QuoteFacts } from "./facts.ts";
import { figuresAt, figuresOf, pricesOf } from "./figures.ts";

type FigureRules = Parameters<typeof figuresOf>[0];

/**
 * The evidence of other amounts, by the same route at the same block. It has no quote where the state of the pools is
 * missing, or they cannot trade the amount.
 * @returns of raw units of the input token
 */
export function atAmounts(rules: FigureRules, evidence: Evidence): (amountIn: bigint) => Evidence {
  const quoteAt = evidence.quote && quotesOf(evidence.quote, evidence.trade);
  const prices = pricesOf(rules, evidence);
  return (amountIn) => {
    const intent = { ...evidence.intent, amountInRaw: amountIn.toString() };
    const asked = { ...evidence, intent, quote: quoteAt?.(amountIn) ?? null };
    return { ...asked, figures: figuresAt(prices, asked) };
  };
}

/** The evidence of an intent that names another policy. */
export function underPolicy(
  rules: FigureRules & { readonly policyId: string; readonly version: number },
  definitionHash: string,
  evidence: Evidence,
): Evidence {
  const { policyId, version } = rules;
  const policy = { policyId, version, definitionHash };
  return {
    ...evidence,
    intent: { ...evidence.intent, policyId },
    policy,
    figures: figuresOf(rules, evidence),
  };
}

function quotesOf(
  quote: QuoteFacts,
  trade: Evidence["trade"],
): ((amountIn: bigint) => QuoteFacts | null) | null {
  const { pools, path } = quote;
  if (pools === null) return null;
  const through = pathThrough(pools, path[0] as string);
  const pays = (amount: bigint) => {
    const traded = through(amount);
    return traded.outcome === "trades" ? traded.amountOut : null;
  };
  const decimals = trade.side === "buy" ? trade.inputDecimals : trade.outputDecimals;
  return (amountIn) => {
    const amountOut = pays(amountIn);
    if (amountOut === null) return null;
    const tinyIn = tinyAmount(trade.side, decimals, amountIn, amountOut);
    return {
      ...quote,
      amountInRaw: amountIn.toString(),
      amountOutRaw: amountOut.toString(),
      referenceAmountInRaw: tinyIn.toString(),
      referenceAmountOutRaw: (pays(tinyIn) ?? 0n).toString(),
    };
  };
}
