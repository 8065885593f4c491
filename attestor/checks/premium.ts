import { EvidenceDecimal } from "../values/decimal.ts";
import { atMost, bpsBound, defineCheck, judged, unavailable } from "./check.ts";
import { most } from "./measure.ts";

/** The token does not stand too far from the stock, counted to the trader's disadvantage. */
export const premium = defineCheck({
  name: "premium",
  bound: {
    maxAdversePremiumBps: bpsBound.describe(
      "How far the token may stand from the stock to the trader's disadvantage, basis points",
    ),
  },
  measure: most("bps"),
  words: {
    en: "How far is the token's price from the stock's, against the trader?",
    zh: "代币价格偏离股票价格多少（对交易者不利的方向）？",
  },
  judge: (policy, { figures, trade }) => {
    const limit = policy.maxAdversePremiumBps;
    if (figures.premiumBps === null)
      return unavailable(limit, "The premium is not known: a price or the shares per token are missing.");
    const buying = trade.side === "buy";
    const adverse = buying ? figures.premiumBps : new EvidenceDecimal(figures.premiumBps).negated().toFixed();
    return judged(
      atMost(adverse, limit),
      adverse,
      limit,
      `The token is ${adverse} bps ${buying ? "above" : "below"} the stock, against the ${buying ? "buyer" : "seller"}; at most ${limit} allowed.`,
    );
  },
});
