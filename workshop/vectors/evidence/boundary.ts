/** What the boundary of a check is made of: values on both sides of its limit, and the judgement with each of them. */
import type { Facts, QuoteFacts, ReferencePrice } from "../../../attestor/evidence/facts.ts";
import { wholeUnits } from "../../../attestor/values/wholeUnits.ts";
import { reading as fixtureReading } from "../../../test/attestor/fixtures.ts";
import type { Draft } from "./judgements.ts";

export interface Sides<T> {
  /** The last that passes, in each way in which it can. */
  readonly pass: readonly T[];
  /** The first that fails. */
  readonly fail: readonly T[];
}

/** A judgement brought to a check's boundary; none on a side to which its policy or its facts cannot be brought. */
export type Boundary = (draft: Draft) => Sides<Draft>;

export const NOWHERE: Sides<never> = { pass: [], fail: [] };

export function both<T, U>({ pass, fail }: Sides<T>, make: (value: T) => U): Sides<U> {
  return { pass: pass.map((value) => make(value)), fail: fail.map((value) => make(value)) };
}

/** `1 + bps / 10000` as a fraction over 10^12: half of the last place that is written rounds up, anything less away. */
export function ratios(bps: number): Sides<bigint> {
  const exact = 10n ** 12n + BigInt(bps) * 10n ** 8n;
  return both<bigint, bigint>(
    { pass: [0n, 4_999n, -10_000n], fail: [5_000n, 10_000n, 100_000_000n] },
    (step) => exact + step,
  );
}

export const priceText = (value: bigint) => wholeUnits(value, 12);

/** A sure price of the moment of the judgement. */
export function reading(draft: Draft, overrides: Partial<ReferencePrice>): ReferencePrice {
  return fixtureReading({
    kind: draft.policy.definition.reference.kind,
    confidence: null,
    publishedAt: draft.capturedAt,
    receivedAt: draft.capturedAt,
    ...overrides,
  });
}

export function withFacts(draft: Draft, change: Partial<Facts>): Draft {
  return { ...draft, facts: { ...draft.facts, ...change } };
}

/** The draft with another quote, and an intent of its amount. */
export function quoted(draft: Draft, change: Partial<QuoteFacts>): Draft {
  const { intent, facts } = draft;
  const { amountInRaw = intent.amountInRaw } = change;
  const quote = { ...facts.quote!, ...change };
  return withFacts({ ...draft, intent: { ...intent, amountInRaw } }, { quote });
}
