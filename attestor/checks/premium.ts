import { EvidenceDecimal } from "../values/decimal.ts";
import { atMost, type Check, judged, unavailable } from "./finding.ts";

/** The token does not stand too far from the stock, counted to the trader's disadvantage. */
export const premium: Check = (policy, { figures, trade }) => {
  const limit = policy.maxAdversePremiumBps;
  if (figures.premiumBps === null)
    return unavailable(
      "premium",
      limit,
      "The premium is not known: a price or the shares per token are missing.",
    );
  const buying = trade.side === "buy";
  const adverse = buying ? figures.premiumBps : new EvidenceDecimal(figures.premiumBps).negated().toFixed();
  return judged(
    "premium",
    atMost(adverse, limit),
    adverse,
    limit,
    `The token is ${adverse} bps ${buying ? "above" : "below"} the stock, against the ${buying ? "buyer" : "seller"}; at most ${limit} allowed.`,
  );
};
