/** Reports with few facts, for vectors that turn on one of them: small, denied, and nobody's. */
import type { Judgement } from "../../attestor/attest.ts";
import type { Facts } from "../../attestor/evidence/facts.ts";
import { policyById } from "../../attestor/policies/policy.ts";
import type { Report } from "../../attestor/report.ts";
import { facts, judgement, reportOn, type Side, UNKNOWN_TOKEN } from "../../test/attestor/fixtures.ts";

/** A judgement without prices, quote, liquidity and what is said of the token. */
export function bareReport(
  given: Partial<Facts>,
  { side = "buy", ...overrides }: Partial<Judgement> & { side?: Side } = {},
): Report {
  const none = { references: [], settlement: [], token: UNKNOWN_TOKEN, liquidity: null, quote: null };
  return reportOn(
    judgement({
      policy: policyById("LAST_CLOSE"),
      side,
      facts: facts({ ...none, ...given }, side),
      ...overrides,
    }),
  );
}
