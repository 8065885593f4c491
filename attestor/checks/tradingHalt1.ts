import type { Evidence1 } from "../evidence/evidence1.ts";
import type { PolicyDefinition1 } from "../policies/policyDefinition.ts";
import { type Check, judged, unavailable } from "./finding.ts";

/** Trading of the token is not halted, as `assay.evidence/1` says it. */
export const tradingHalt1: Check<PolicyDefinition1, Evidence1> = (_policy, { token, trade }) => {
  if (token === null) return unavailable("trading-halt", false, "It is not known whether trading is halted.");
  return judged(
    "trading-halt",
    !token.halted,
    token.halted,
    false,
    `Trading of ${trade.symbol} is ${token.halted ? "" : "not "}halted.`,
  );
};
