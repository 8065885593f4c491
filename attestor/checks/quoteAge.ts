import { type Check, judged } from "./finding.ts";

/**
 * The block that everything on chain was read at is recent, so the chain has not stopped. One as far ahead of the
 * service's clock tells that one of the two is wrong, and then no age that is measured by them is worth anything.
 */
export const quoteAge: Check = (policy, { chain, capturedAt }) => {
  const age = capturedAt - chain.blockTimestamp;
  const limit = policy.maxQuoteAgeSeconds;
  const stands = age < 0 ? `${-age} s ahead of the service's clock` : `${age} s old`;
  return judged(
    "quote-age",
    Math.abs(age) <= limit,
    age,
    limit,
    `Block ${chain.blockNumber} is ${stands}; at most ${limit} s allowed.`,
  );
};
