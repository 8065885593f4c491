import type { Evidence } from "../evidence/evidence.ts";
import type { PolicyDefinition } from "../policies/policyDefinition.ts";
import { type Finding, judged, unavailable } from "./finding.ts";

/** The quote rests on what the policy asks for: pool state that is proved, or the best that there is. */
export function quoteProof(policy: PolicyDefinition, { quote, proofs }: Evidence): Finding {
  const limit = policy.evidence.quoteProof;
  if (quote === null) return unavailable("quote-proof", limit, "There is no quote.");
  const basis = quote.pools === null ? "quoter" : proofs === null ? "observed" : "proved";
  const rests = {
    quoter: "The quote is the answer of the route's own quoter",
    observed: "The quote follows from the state of the pools, which is not proved",
    proved: "The quote follows from the state of the pools, which is proved",
  }[basis];
  const passes = limit === "preferred" || basis === "proved";
  return judged("quote-proof", passes, basis, limit, `${rests}; a proof is ${limit}.`);
}
