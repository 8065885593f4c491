import { eligibleReferences } from "../evidence/figures.ts";
import { type Check, judged } from "./finding.ts";

/** Enough sources state a reference price of the kind that the policy judges by. */
export const referenceSources: Check = (policy, { references, capturedAt }) => {
  const { kind, minSources } = policy.reference;
  const sources = eligibleReferences(policy, references, capturedAt).length;
  return judged(
    "reference-sources",
    sources >= minSources,
    sources,
    minSources,
    `${sources} ${kind} reference source(s); at least ${minSources} needed.`,
  );
};
