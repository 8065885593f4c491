/** Checks of the trade itself: what it costs, how large it is, and what its quote rests on. */
import { amountWords } from "../evidence/amounts.ts";
import type { Evidence } from "../evidence/evidence.ts";
import { EvidenceDecimal } from "../values/decimal.ts";
import { atMost, type Check, judged, unavailable } from "./check.ts";

/** How far the token stands from the stock to the trader's disadvantage, basis points; null where it is not known. */
export function adversePremium({ figures, trade }: Pick<Evidence, "figures" | "trade">): string | null {
  if (figures.premiumBps === null || trade.side === "buy") return figures.premiumBps;
  return new EvidenceDecimal(figures.premiumBps).negated().toFixed();
}

/** The token does not stand too far from the stock, counted to the trader's disadvantage. */
export const premium: Check = {
  name: "premium",
  judge: (policy, { figures, trade }) => {
    const limit = policy.maxAdversePremiumBps;
    const adverse = adversePremium({ figures, trade });
    if (adverse === null)
      return unavailable(limit, "The premium is not known: a price or the shares per token are missing.");
    const buying = trade.side === "buy";
    return judged(
      atMost(adverse, limit),
      adverse,
      limit,
      `The token is ${adverse} bps ${buying ? "above" : "below"} the stock, against the ${buying ? "buyer" : "seller"}; at most ${limit} allowed.`,
    );
  },
};

/** This size does not move the price too far. */
export const impact: Check = {
  name: "impact",
  judge: (policy, { figures, trade, intent }) => {
    const limit = policy.maxImpactBps;
    if (figures.impactBps === null) return unavailable(limit, "The price impact is not known: no route.");
    return judged(
      atMost(figures.impactBps, limit),
      figures.impactBps,
      limit,
      `${amountWords(trade, "input", intent.amountInRaw)} cost ${figures.impactBps} bps more than a tiny trade; at most ${limit} allowed.`,
    );
  },
};

/**
 * The quote pays the least output, which is what the slippage leaves of it or what the intent demands. The guard refuses a
 * least output of zero.
 */
export const minimumOutput: Check = {
  name: "minimum-output",
  judge: (_policy, { quote, figures, trade, intent }) => {
    const minimum = figures.minAmountOutRaw;
    if (quote === null || minimum === null)
      return unavailable(intent.limits?.minAmountOutRaw ?? 1, "What the trade pays is not known: no route.");
    const pays = `The quote pays ${amountWords(trade, "output", quote.amountOutRaw)}`;
    if (minimum === "0")
      return judged(false, quote.amountOutRaw, 1, `${pays}, and the slippage may leave nothing of it.`);
    return judged(
      BigInt(quote.amountOutRaw) >= BigInt(minimum),
      quote.amountOutRaw,
      minimum,
      `${pays}; the recipient must get at least ${amountWords(trade, "output", minimum)}.`,
    );
  },
};

/** The agent does not accept more slippage than the policy lets it. */
export const slippage: Check = {
  name: "slippage",
  judge: (policy, { intent }) =>
    judged(
      intent.maxSlippageBps <= policy.maxSlippageBps,
      intent.maxSlippageBps,
      policy.maxSlippageBps,
      `The intent accepts ${intent.maxSlippageBps} bps of slippage; at most ${policy.maxSlippageBps} allowed.`,
    ),
};

/** The trade is not larger than the policy lets it be. */
export const notional: Check = {
  name: "notional",
  judge: (policy, { figures, trade, intent }) => {
    const limit = policy.notionalCapUsd;
    if (figures.notionalUsd === null)
      return unavailable(
        limit,
        "The trade's value is not known: no route, or no price of the settlement token.",
      );
    return judged(
      atMost(figures.notionalUsd, limit),
      figures.notionalUsd,
      limit,
      `The trade of ${amountWords(trade, "input", intent.amountInRaw)} is worth ${figures.notionalUsd} USD; at most ${limit} allowed.`,
    );
  },
};

/**
 * The block that everything on chain was read at is recent, so the chain has not stopped. One as far ahead of the
 * service's clock tells that one of the two is wrong, and then no age that is measured by them is worth anything.
 */
export const quoteAge: Check = {
  name: "quote-age",
  judge: (policy, { chain, capturedAt }) => {
    const age = capturedAt - chain.blockTimestamp;
    const limit = policy.maxQuoteAgeSeconds;
    const stands = age < 0 ? `${-age} s ahead of the service's clock` : `${age} s old`;
    return judged(
      Math.abs(age) <= limit,
      age,
      limit,
      `Block ${chain.blockNumber} is ${stands}; at most ${limit} s allowed.`,
    );
  },
};

/** The quote rests on what the policy asks for: pool state that is proved, or the best that there is. */
export const quoteProof: Check = {
  name: "quote-proof",
  judge: (policy, { quote, proofs }) => {
    const limit = policy.evidence.quoteProof;
    if (quote === null) return unavailable(limit, "There is no quote.");
    const ofPools = proofs === null ? "observed" : "proved";
    const basis = quote.pools === null ? "quoter" : ofPools;
    const rests = {
      quoter: "The quote is the answer of the route's own quoter",
      observed: "The quote follows from the state of the pools, which is not proved",
      proved: "The quote follows from the state of the pools, which is proved",
    }[basis];
    const passes = limit !== "required" || basis === "proved";
    return judged(passes, basis, limit, `${rests}; a proof is ${limit}.`);
  },
};
