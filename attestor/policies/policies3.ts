/**
 * Version 3 of the policies: as version 2, and they say what a trade's facts must rest on at least. What is demanded here
 * is what every deployment can give; a policy of the reader's own can demand more.
 */
import { POLICIES_2 } from "./policies2.ts";
import type { PolicyDefinition2 } from "./policyDefinition.ts";

const evidence: NonNullable<PolicyDefinition2["evidence"]> = {
  minSignedReferences: 0,
  quoteProof: "preferred",
};

export const POLICIES_3: typeof POLICIES_2 = POLICIES_2.map(({ description, definition }) => ({
  description,
  definition: {
    ...definition,
    version: 3,
    checks: [...definition.checks, "signed-references", "quote-proof"],
    evidence: { ...evidence },
  },
}));
