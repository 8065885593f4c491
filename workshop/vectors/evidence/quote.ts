/** The boundaries of the checks of the trade itself. */
import type { Facts, QuoteFacts } from "../../../attestor/evidence/facts.ts";
import { sortedTokens } from "../../../attestor/pools/create2.ts";
import type { UniswapV2State } from "../../../attestor/pools/poolState.ts";
import { addressFor } from "../../../test/attestor/fixtures.ts";
import { type Boundary, both, NOWHERE, quoted, ratios, reading, type Sides, withFacts } from "./boundary.ts";
import type { Draft } from "./judgements.ts";

const whole = (decimals: number) => 10n ** BigInt(decimals);

/** The quote in another way for each value on the boundary. */
function quotedAt<T>(
  draft: Draft,
  values: Sides<T>,
  change: (value: T) => Partial<QuoteFacts>,
): Sides<Draft> {
  return both(values, (value) => quoted(draft, change(value)));
}

function decimalsOf({ registry }: Draft): { stock: number; dollar: number } {
  const [stock, dollar] = registry.assets.map(({ decimals }) => decimals) as [number, number];
  return { stock, dollar };
}

/** Each fact of the settlement token at one dollar, so that a figure is in the settlement token's own units. */
function atOneDollar(draft: Draft): Draft {
  const settlement = ["pyth", "chainlink", "desk"].map((provider) =>
    reading(draft, { provider, kind: "live", price: "1", symbol: "USD" }),
  );
  return withFacts(draft, { settlement });
}

export const premium: Boundary = (draft) => {
  const { token } = draft.facts;
  const priced = withFacts(atOneDollar(draft), {
    token: { ...token, factor: { ...token.factor!, value: "1" } },
    references: [reading(draft, { price: "100" })],
  });
  const { stock, dollar } = decimalsOf(draft);
  // The tiny trade is 10^12 raw units of stock, so that the price takes the ratio's twelve places.
  const stockRaw = (whole(stock) * 10n ** 12n).toString();
  return quotedAt(priced, ratios(draft.policy.definition.maxAdversePremiumBps), (adverse) => {
    const signed = draft.side === "buy" ? adverse : 2n * 10n ** 12n - adverse;
    const dollarRaw = (100n * signed * whole(dollar)).toString();
    return draft.side === "buy"
      ? { referenceAmountInRaw: dollarRaw, referenceAmountOutRaw: stockRaw }
      : { referenceAmountInRaw: stockRaw, referenceAmountOutRaw: dollarRaw };
  });
};

export const impact: Boundary = (draft) =>
  quotedAt(draft, ratios(draft.policy.definition.maxImpactBps), (ratio) => ({
    amountInRaw: whole(18).toString(),
    amountOutRaw: whole(18).toString(),
    referenceAmountInRaw: whole(16).toString(),
    referenceAmountOutRaw: (ratio * whole(4)).toString(),
  }));

export const notional: Boundary = (draft) => {
  const decimals = decimalsOf(draft).dollar;
  const cap = BigInt(draft.policy.definition.notionalCapUsd) * whole(decimals);
  // Below the eighth place a step rounds away, at half of it it rounds up.
  const steps =
    decimals < 9
      ? { pass: [0n, -1n], fail: [1n] }
      : { pass: [0n, 1n, -1n], fail: [whole(decimals - 8) / 2n, whole(decimals - 8)] };
  return quotedAt(atOneDollar(draft), steps, (step) => {
    const amount = (cap + step).toString();
    return draft.side === "buy" ? { amountInRaw: amount } : { amountOutRaw: amount };
  });
};

export const minimumOutput: Boundary = (draft) => {
  const left = 10_000n - BigInt(draft.intent.maxSlippageBps);
  const least = (10_000n + left - 1n) / left;
  return quotedAt(draft, { pass: [least], fail: [least - 1n] }, (out) => ({ amountOutRaw: out.toString() }));
};

/** What the intent's own limit makes of it. */
export const minimumByLimit: Boundary = (draft) => {
  const amountOut = BigInt(draft.facts.quote!.amountOutRaw);
  if (amountOut === 0n) return NOWHERE;
  return both({ pass: [amountOut], fail: [amountOut + 1n] }, (least) => ({
    ...draft,
    intent: { ...draft.intent, limits: { minAmountOutRaw: least.toString() } },
  }));
};

export const slippage: Boundary = (draft) => {
  const { maxSlippageBps } = draft.policy.definition;
  return both({ pass: [maxSlippageBps], fail: [maxSlippageBps + 1] }, (bps) => ({
    ...draft,
    intent: { ...draft.intent, maxSlippageBps: bps },
  }));
};

export const quoteAge: Boundary = (draft) => {
  const { maxQuoteAgeSeconds } = draft.policy.definition;
  const away = (age: number) => [age, -age];
  return both({ pass: away(maxQuoteAgeSeconds), fail: away(maxQuoteAgeSeconds + 1) }, (age) =>
    withFacts(draft, { chain: { ...draft.facts.chain, blockTimestamp: draft.capturedAt - age } }),
  );
};

const PROOFS = { format: "assay.proofs/1", hash: `0x${"22".repeat(32)}` } as const;

/** What the report would name; a verifier of only the evidence assumes that there are proofs. */
export const quoteProof: Boundary = (draft) => {
  const quote = draft.facts.quote!;
  const pools = [pairOf(quote)];
  const facts = (hasPools: boolean, hasProofs: boolean): Partial<Facts> => ({
    quote: { ...quote, pools: hasPools ? pools : null },
    proofs: hasProofs ? PROOFS : null,
  });
  const proved = [facts(true, true)];
  const unproved = [facts(true, false), facts(false, true), facts(false, false)];
  const isRequired = draft.policy.definition.evidence.quoteProof === "required";
  const sides = isRequired ? { pass: proved, fail: unproved } : { pass: [...proved, ...unproved], fail: [] };
  return both(sides, (change) => withFacts(draft, change));
};

function pairOf({ path }: QuoteFacts): UniswapV2State {
  const [token0, token1] = sortedTokens(path[0]!, path[1]!);
  const address = addressFor("a pool of the vectors");
  const reserves = { reserve0: "5000000000000000000", reserve1: "7000000000000" };
  return { kind: "uniswap-v2", address, token0, token1, feeBps: 30, ...reserves };
}
