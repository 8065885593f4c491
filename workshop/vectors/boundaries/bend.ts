/** What a bend of a judgement to the boundary of a check is made of. */
import type { Facts, ReferencePrice } from "../../../attestor/evidence/facts.ts";
import { wholeUnits } from "../../../attestor/values/wholeUnits.ts";
import type { Draw } from "../draw.ts";
import type { Draft } from "../judgements.ts";

/** @returns false where this policy cannot be brought there */
export type Bend = (draft: Draft, aim: "pass" | "fail", draw: Draw) => boolean;

/** `1 + bps / 10000` as a fraction over 10^12, with a step that rounds away or up at the fourth place of a bp. */
export function ratio(bps: number, aim: "pass" | "fail", draw: Draw): bigint {
  const exact = 10n ** 12n + BigInt(bps) * 10n ** 8n;
  // Half of the last place that is written rounds up, anything less rounds away.
  if (aim === "fail") return exact + draw.pick([5_000n, 10_000n, 100_000_000n]);
  return exact + draw.pick([0n, 4_999n, 0n, -10_000n]);
}

export const priceText = (value: bigint) => wholeUnits(value, 12);

export function reading(draft: Draft, overrides: Partial<ReferencePrice>): ReferencePrice {
  return {
    provider: "pyth",
    source: "made up",
    kind: draft.policy.definition.reference.kind,
    symbol: "ACME",
    price: "200",
    confidence: null,
    publishedAt: draft.capturedAt,
    receivedAt: draft.capturedAt,
    rawHash: `0x${"11".repeat(32)}`,
    onChain: null,
    proof: null,
    signer: null,
    ...overrides,
  };
}

/** @returns true: the draft has been bent */
export function setFacts(draft: Draft, change: Partial<Facts>): true {
  draft.facts = { ...draft.facts, ...change };
  return true;
}

export function quoted(draft: Draft, change: Partial<NonNullable<Facts["quote"]>>): boolean {
  const { quote } = draft.facts;
  if (quote === null) return false;
  setFacts(draft, { quote: { ...quote, ...change } });
  if (change.amountInRaw !== undefined) draft.intent = { ...draft.intent, amountInRaw: change.amountInRaw };
  return true;
}
