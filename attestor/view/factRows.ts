/** Each fact of a piece of evidence with its value, who says so, and how old it was when the trade was judged. */
import type { Evidence } from "../evidence/evidence.ts";
import type { PriceReading, ReferencePrice } from "../evidence/facts.ts";
import type { Fact, FactKind } from "../factKinds.ts";

export interface FactRow {
  /** As the method calls it. */
  readonly name: string;
  readonly kind: FactKind;
  /** What or whom it rests on. */
  readonly by: string;
  /** What is said; null where the row names a state that is shown elsewhere. */
  readonly value: string | null;
  /** In what the value is counted; null: it is words. */
  readonly unit: "USD" | null;
  /** Where the service had it from; null for the state of the chain. */
  readonly source: string | null;
  /** Since when it was so, unix seconds; null where nobody says. */
  readonly at: number | null;
  /** Seconds from then to the moment of judgement; negative: of the future. */
  readonly ageSeconds: number | null;
}

type Detail = Pick<FactRow, "name" | "value" | "unit" | "source" | "at">;

/**
 * @param facts as `factsOf` tells them of this evidence
 * @returns in the evidence's order
 */
export function factRows(evidence: Evidence, facts: readonly Fact[]): FactRow[] {
  const { capturedAt } = evidence;
  const aged = (detail: Detail) => ({
    ...detail,
    ageSeconds: detail.at === null ? null : capturedAt - detail.at,
  });
  const details = detailsOf(evidence);
  return facts.map(({ name, kind, by }, index) => {
    const detail = details[index];
    // The two lists go by one order; a row without its detail says less, and nothing false.
    const own = detail?.name === name ? detail : { name, value: null, unit: null, source: null, at: null };
    return { ...aged(own), kind, by };
  });
}

/** In the order of `factsOf`. */
function detailsOf(evidence: Evidence): Detail[] {
  const { chain, quote, guard, intent, references, settlement, token, session, liquidity } = evidence;
  const state = (name: string, value: string | null): Detail => ({
    name,
    value,
    unit: null,
    source: null,
    at: chain.blockTimestamp,
  });
  const price = (what: string) => (reading: ReferencePrice) =>
    priceDetail(`${what} of ${reading.symbol}`, reading);
  const said = (name: string, value: string, statement: { source: string; receivedAt: number }): Detail => ({
    name,
    value,
    unit: null,
    source: statement.source,
    at: statement.receivedAt,
  });
  return [
    state("block number and time", `${chain.blockNumber}`),
    ...(quote === null
      ? []
      : (quote.pools?.map(({ address, kind }) => state(`pool ${address}`, kind)) ?? [
          state("quote", `${quote.amountInRaw} → ${quote.amountOutRaw}`),
        ])),
    state("guard's signer", guard.signer),
    state("guard paused", String(guard.paused)),
    ...(quote === null ? [] : [state("route allowed", String(guard.routeAllowed))]),
    ...(intent.recipientAddress === intent.ownerAddress
      ? []
      : [state("recipient allowed", String(guard.recipientAllowed))]),
    ...references.map(price("price")),
    ...settlement.map(price("settlement price")),
    ...(token.factor === null ? [] : [said("shares factor", token.factor.value, token.factor)]),
    ...(token.announcement === null
      ? []
      : [said("announced change", changeText(token.announcement.change), token.announcement)]),
    ...token.halts.map((halt) => said("trading halt", String(halt.halted), halt)),
    ...tailDetails({ session, liquidity }),
  ];
}

function changeText(change: { value: string | null; effectiveAt: number } | null): string {
  if (change === null) return "none";
  return `${change.value ?? "?"} @ ${new Date(change.effectiveAt * 1000).toISOString()}`;
}

function priceDetail(name: string, { price, source, publishedAt }: PriceReading): Detail {
  return { name, value: price, unit: "USD", source, at: publishedAt };
}

function tailDetails({ session, liquidity }: Pick<Evidence, "session" | "liquidity">): Detail[] {
  return [
    ...(session === null
      ? []
      : [{ name: "market session", value: session.state, unit: null, source: session.source, at: null }]),
    ...(liquidity === null
      ? []
      : [
          {
            name: "liquidity",
            value: liquidity.grade,
            unit: null,
            source: liquidity.source,
            at: liquidity.updatedAt,
          },
        ]),
  ];
}
