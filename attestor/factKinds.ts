/**
 * What each fact of a piece of evidence rests on. Four kinds, the strongest that holds: proved by Merkle proofs, signed by
 * its publisher, observed at a block where anybody can look again, or stated by somebody who is named.
 */
import type { Evidence } from "./evidence/evidence.ts";
import type { ReferencePrice } from "./evidence/facts.ts";
import type { UnixSeconds } from "./values/time.ts";

/** Strongest first. */
export const FACT_KINDS = ["proved", "signed", "observed", "stated"] as const;
export type FactKind = (typeof FACT_KINDS)[number];

export interface Fact {
  /** As the method calls it. */
  readonly name: string;
  readonly kind: FactKind;
  /** What or whom it rests on: a block, a set of signers, a contract, a provider. */
  readonly by: string;
  /** What is said; null where nothing is known. */
  readonly value: string | null;
  /** In what the value is counted; null: it is words. */
  readonly unit: "USD" | null;
  /** Where the service had it from; null for the state of the chain. */
  readonly source: string | null;
  /** Since when it was so; null where nobody says. */
  readonly at: UnixSeconds | null;
}

/**
 * Every fact of the evidence, in its order. A price counts as signed where it names its signer.
 * @param isProved whether the proofs that the evidence names are available, and for a reader whether they hold:
 *   proofs that are only named prove nothing
 */
export function factsOf(evidence: Evidence, isProved = false): Fact[] {
  const { chain, quote, guard, intent, references, settlement, token, liquidity } = evidence;
  const atBlock = isProved ? "proved" : "observed";
  const state = (name: string, value: string): Fact => ({
    name,
    kind: atBlock,
    by: `block ${chain.blockHash}`,
    value,
    unit: null,
    source: null,
    at: chain.blockTimestamp,
  });
  const price = (what: string) => (reading: ReferencePrice) => priceFact(what, reading);
  return [
    state("block number and time", `${chain.blockNumber}`),
    ...(quote === null
      ? []
      : (quote.pools?.map(({ address, kind }) => state(`pool ${address}`, kind)) ?? [
          {
            ...state("quote", `${quote.amountInRaw} → ${quote.amountOutRaw}`),
            kind: "observed" as const,
            by: `${quote.routeName} (${quote.route})`,
          },
        ])),
    state("guard's signer", guard.signer),
    state("guard paused", String(guard.paused)),
    ...(quote === null ? [] : [state("route allowed", String(guard.routeAllowed))]),
    // Every guard pays an owner, so this follows from the intent alone.
    ...(intent.recipientAddress === intent.ownerAddress
      ? []
      : [state("recipient allowed", String(guard.recipientAllowed))]),
    ...scheduledChanges(guard).map((change) => ({
      ...state("scheduled change of the guard", change),
      kind: "observed" as const,
    })),
    ...references.map(price("price")),
    ...settlement.map(price("settlement price")),
    ...tokenFacts(token, isProved && token.layout !== null ? state : null),
    ...sessionFacts(evidence),
    ...(liquidity === null
      ? []
      : [stated("liquidity", liquidity.grade, liquidity.source, liquidity.updatedAt)]),
  ];
}

/** Read from the events of the guard's manager, which no proof covers; that there is none is a fact too. */
function scheduledChanges({ pending }: Evidence["guard"]): string[] {
  return pending.length === 0 ? ["none"] : pending.map(({ call, readyAt }) => `${call}, ready at ${readyAt}`);
}

export const SESSION_FACT = "market session";

/** A signed price states the session of its own moment, and for the minutes in which facts are gathered. */
const SESSION_SECONDS = 120;

function sessionFacts({ session, references, capturedAt }: Evidence): Fact[] {
  if (session === null) return [];
  const signer = references
    .map((reading) => reading.signer)
    .find((one) => one?.session === session.state && Math.abs(one.signedAt - capturedAt) <= SESSION_SECONDS);
  const fact = stated(SESSION_FACT, session.state, session.source, null);
  return [signer ? { ...fact, kind: "signed", by: signer.set, at: signer.signedAt } : fact];
}

function priceFact(what: string, reading: ReferencePrice): Fact {
  const { symbol, provider, onChain, price, source, publishedAt, signer } = reading;
  const rests =
    signer === null
      ? wordOf(provider, onChain?.address ?? null)
      : { kind: "signed" as const, by: signer.set };
  return { name: `${what} of ${symbol}`, ...rests, value: price, unit: "USD", source, at: publishedAt };
}

/** @param proved makes a fact that the state proves; null where factor and announcement are somebody's word */
function tokenFacts(
  { factor, announcement, halts }: Evidence["token"],
  proved: ((name: string, value: string) => Fact) | null,
): Fact[] {
  const statedFact = (
    name: string,
    value: string,
    {
      provider,
      address,
      source,
      receivedAt,
    }: Pick<(typeof halts)[number], "provider" | "address" | "source" | "receivedAt">,
  ): Fact => ({ name, ...wordOf(provider, address), value, unit: null, source, at: receivedAt });
  return [
    ...(factor === null ? [] : [(proved ?? statedFact)("shares factor", factor.value, factor)]),
    ...(announcement === null
      ? []
      : [(proved ?? statedFact)("announced change", changeText(announcement.change), announcement)]),
    ...halts.map((halt) => statedFact("trading halt", String(halt.halted), halt)),
  ];
}

function changeText(change: { value: string | null; effectiveAt: number } | null): string {
  if (change === null) return "none";
  return `${change.value ?? "?"} @ ${new Date(change.effectiveAt * 1000).toISOString()}`;
}

/** A contract's word can be read again; another's is taken. */
function wordOf(provider: string, address: string | null): Pick<Fact, "kind" | "by"> {
  return address === null
    ? { kind: "stated", by: provider }
    : { kind: "observed", by: `${provider} (${address})` };
}

function stated(name: string, value: string | null, source: string, at: UnixSeconds | null): Fact {
  return { name, kind: "stated", by: source, value, unit: null, source, at };
}
