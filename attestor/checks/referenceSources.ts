import { eligibleReferences } from "../figures.ts";
import { type Check, judged } from "./finding.ts";

/** Enough sources state a reference price of the kind that the policy judges by. */
export const referenceSources: Check = (policy, { references, capturedAt }) => {
  const { kind, minSources } = policy.reference;
  const providers = new Set(
    eligibleReferences(policy, references, capturedAt).map((reading) => reading.provider),
  );
  return judged(
    "reference-sources",
    providers.size >= minSources,
    providers.size,
    minSources,
    `${providers.size} ${kind} reference source(s); at least ${minSources} needed.`,
  );
};
