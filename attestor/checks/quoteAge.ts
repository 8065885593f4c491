import { type Check, judged } from "./finding.ts";

/** The block that everything on chain was read at is recent, so the chain has not stopped. */
export const quoteAge: Check = (policy, { chain, capturedAt }) => {
  const age = Math.max(0, capturedAt - chain.blockTimestamp);
  return judged(
    "quote-age",
    age <= policy.maxQuoteAgeSeconds,
    age,
    policy.maxQuoteAgeSeconds,
    `Block ${chain.blockNumber} is ${age} s old; at most ${policy.maxQuoteAgeSeconds} s allowed.`,
  );
};
