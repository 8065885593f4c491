/** The boundaries of the checks of the trade itself. */
import { getAddress } from "ethers";
import type { Facts } from "../../../attestor/evidence/facts.ts";
import { sortedTokens } from "../../../attestor/pools/create2.ts";
import type { UniswapV2State } from "../../../attestor/pools/poolState.ts";
import type { Draw } from "../draw.ts";
import type { Draft } from "../judgements.ts";
import { type Bend, quoted, ratio, reading, setFacts } from "./bend.ts";

const whole = (decimals: number) => 10n ** BigInt(decimals);

function decimalsOf({ registry, side }: Draft): { input: number; output: number } {
  const [stock, dollar] = registry.assets.map(({ decimals }) => decimals) as [number, number];
  return side === "buy" ? { input: dollar, output: stock } : { input: stock, output: dollar };
}

/** Each fact of the settlement token at one dollar, so that a figure is in the settlement token's own units. */
function dollarAtOne(draft: Draft): void {
  setFacts(draft, {
    settlement: ["pyth", "chainlink", "desk"].map((provider) =>
      reading(draft, { provider, kind: "live", price: "1", symbol: "USD" }),
    ),
  });
}

export const premium: Bend = (draft, aim, draw) => {
  const { maxAdversePremiumBps } = draft.policy.definition;
  dollarAtOne(draft);
  const { registry, side } = draft;
  const kind = registry.assets[0]?.tokenKind;
  if (kind === undefined) return false;
  const token = draft.facts.token;
  if (token.factor === null || token.halts.length === 0) return false;
  setFacts(draft, {
    token: { ...token, factor: { ...token.factor, value: "1" } },
    references: [reading(draft, { price: "100" })],
  });
  // The tiny trade is 10^12 raw units on one side, so that the price takes the ratio's twelve places.
  const adverse = ratio(maxAdversePremiumBps, aim, draw);
  const signed = side === "buy" ? adverse : 2n * 10n ** 12n - adverse;
  const { input, output } = decimalsOf(draft);
  const [settledDecimals, stockDecimals] = side === "buy" ? [input, output] : [output, input];
  const stockRaw = whole(stockDecimals) * 10n ** 12n;
  const settledRaw = 100n * signed * whole(settledDecimals);
  const [tinyIn, tinyOut] = side === "buy" ? [settledRaw, stockRaw] : [stockRaw, settledRaw];
  return quoted(draft, {
    referenceAmountInRaw: tinyIn.toString(),
    referenceAmountOutRaw: tinyOut.toString(),
  });
};

export const impact: Bend = (draft, aim, draw) => {
  const amount = 10n ** BigInt(draw.int(14, 20));
  const tinyOut = ratio(draft.policy.definition.maxImpactBps, aim, draw) * 10n ** 4n;
  return quoted(draft, {
    amountInRaw: amount.toString(),
    amountOutRaw: amount.toString(),
    referenceAmountInRaw: (10n ** 16n).toString(),
    referenceAmountOutRaw: tinyOut.toString(),
  });
};

export const notional: Bend = (draft, aim, draw) => {
  dollarAtOne(draft);
  const { input, output } = decimalsOf(draft);
  const decimals = draft.side === "buy" ? input : output;
  const cap = BigInt(draft.policy.definition.notionalCapUsd) * whole(decimals);
  // Below the eighth place a step rounds away, at half of it it rounds up.
  const steps = decimals < 9 ? [1n] : [10n ** BigInt(decimals - 8) / 2n, 10n ** BigInt(decimals - 8)];
  const amount =
    aim === "fail"
      ? cap + draw.pick(steps)
      : cap + (decimals < 9 ? draw.pick([0n, -1n]) : draw.pick([0n, 1n, -1n]));
  return draft.side === "buy"
    ? quoted(draft, { amountInRaw: amount.toString() })
    : quoted(draft, { amountOutRaw: amount.toString() });
};

export const minimumOutput: Bend = (draft, aim) => {
  const { maxSlippageBps } = draft.intent;
  const left = 10_000n - BigInt(maxSlippageBps);
  const least = (10_000n + left - 1n) / left;
  return quoted(draft, { amountOutRaw: (aim === "pass" ? least : least - 1n).toString() });
};

export const slippage: Bend = (draft, aim) => {
  const { maxSlippageBps } = draft.policy.definition;
  draft.intent = { ...draft.intent, maxSlippageBps: aim === "pass" ? maxSlippageBps : maxSlippageBps + 1 };
  return draft.intent.maxSlippageBps <= 10_000;
};

export const quoteAge: Bend = (draft, aim, draw) => {
  const age = draft.policy.definition.maxQuoteAgeSeconds + (aim === "pass" ? 0 : 1);
  const blockTimestamp = draft.capturedAt - age * draw.pick([1, -1]);
  return setFacts(draft, { chain: { ...draft.facts.chain, blockTimestamp } });
};

/** What the report would name; a verifier of only the evidence assumes that there are proofs. */
export const quoteProof: Bend = (draft, aim, draw) => {
  const { definition } = draft.policy;
  const { quote } = draft.facts;
  if (quote === null) return false;
  const isRequired = definition.evidence.quoteProof === "required";
  if (aim === "fail" && !isRequired) return false;
  const isProved = aim === "pass" && (isRequired || draw.once(2));
  const hasPools = isProved || draw.once(2);
  return setFacts(draft, {
    quote: { ...quote, pools: hasPools ? [pairOf(quote, draw)] : null },
    proofs: isProved || (!hasPools && draw.once(2)) ? { format: "assay.proofs/1", hash: draw.hex(32) } : null,
  });
};

function pairOf({ path }: NonNullable<Facts["quote"]>, draw: Draw): UniswapV2State {
  const [token0, token1] = sortedTokens(path[0]!, path[1]!);
  return {
    kind: "uniswap-v2",
    address: getAddress(draw.hex(20)),
    token0,
    token1,
    feeBps: 30,
    reserve0: draw.digits(24).toString(),
    reserve1: draw.digits(24).toString(),
  };
}
