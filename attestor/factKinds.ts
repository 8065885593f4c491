/**
 * What each fact of a piece of evidence rests on. Four kinds, the strongest that holds: proved by Merkle proofs, signed by
 * its publisher, observed at a block where anybody can look again, or stated by somebody who is named.
 */
import * as z from "zod";
import type { Evidence } from "./evidence/evidence.ts";
import type { ReferencePrice } from "./evidence/facts.ts";
import { type GuardianSets, KNOWN_GUARDIAN_SETS } from "./pyth/guardianSets.ts";
import { signedBy } from "./pyth/priceProof.ts";

/** Strongest first. */
export const FACT_KINDS = ["proved", "signed", "observed", "stated"] as const;
export const FactKind = z.enum(FACT_KINDS).meta({
  id: "FactKind",
  description:
    "`proved`: Merkle proofs lead to it from the header of the evidence's block. `signed`: its publisher signed it, and the signatures were checked. `observed`: it was read from the chain at that block, where it can be read again. `stated`: somebody's word",
});
export type FactKind = z.infer<typeof FactKind>;

export interface Fact {
  /** What it says, as a reader calls it. */
  readonly name: string;
  readonly kind: FactKind;
  /** What or whom it rests on: a block, a set of guardians, a contract, a provider. */
  readonly by: string;
}

const count = (description: string) => z.int().min(0).meta({ description });
export const FactCounts = z
  .strictObject({
    total: count("Facts of the evidence"),
    proved: count("Facts with a Merkle proof to the block's header"),
    signed: count("Facts that their publisher signed"),
    observed: count("Facts that can be read on the chain again, at the evidence's block"),
    stated: count("Facts that rest on somebody's word"),
  })
  .meta({
    id: "FactCounts",
    description: "How many facts of the evidence there are, and what each rests on (see FactKind)",
  });
export type FactCounts = z.infer<typeof FactCounts>;

/**
 * Every fact of the evidence, in its order. A price counts as signed where its signatures hold.
 * @param sets guardian sets that the reader knows
 * @param isProved whether the state is: for a report what its evidence says, for a reader what the proofs came to
 */
export function factsOf(
  evidence: Evidence,
  sets: GuardianSets = KNOWN_GUARDIAN_SETS,
  isProved = evidence.proofs !== null,
): Fact[] {
  const { chain, quote, intent, references, settlement, token, session, liquidity } = evidence;
  const atBlock = isProved ? "proved" : "observed";
  const block = `block ${chain.blockHash}`;
  const state = (name: string): Fact => ({ name, kind: atBlock, by: block });
  const price = (name: string, reading: ReferencePrice) =>
    priceFact(name, reading, signedBy(reading, chain.chainId, sets).by);
  return [
    state("block number and time"),
    ...(quote === null
      ? []
      : (quote.pools?.map(({ address }) => state(`pool ${address}`)) ?? [
          { name: "quote", kind: "observed", by: `${quote.routeName} (${quote.route})` } as const,
        ])),
    state("guard's signer"),
    state("guard paused"),
    ...(quote === null ? [] : [state("route allowed")]),
    // An owner is paid by every guard: that follows from the intent, and from nobody's word.
    ...(intent.recipientAddress === intent.ownerAddress ? [] : [state("recipient allowed")]),
    ...references.map((reading) => price("price", reading)),
    ...settlement.map((reading) => price("settlement price", reading)),
    ...(token.factor === null ? [] : [statement("shares factor", token.factor)]),
    ...(token.announcement === null ? [] : [statement("announced change", token.announcement)]),
    ...token.halts.map((halt) => statement("trading halt", halt)),
    ...(session === null ? [] : [{ name: "market session", kind: "stated", by: session.source } as const]),
    ...(liquidity === null ? [] : [{ name: "liquidity", kind: "stated", by: liquidity.source } as const]),
  ];
}

function priceFact(what: string, { symbol, provider, onChain }: ReferencePrice, signer: string | null): Fact {
  const name = `${what} of ${symbol}`;
  if (signer !== null) return { name, kind: "signed", by: signer };
  return onChain === null
    ? { name, kind: "stated", by: provider }
    : { name, kind: "observed", by: `${provider} (${onChain.address})` };
}

function statement(
  name: string,
  { provider, address }: { readonly provider: string; readonly address: string | null },
): Fact {
  return address === null
    ? { name, kind: "stated", by: provider }
    : { name, kind: "observed", by: `${provider} (${address})` };
}

/** How many there are of each kind. */
export function countsOf(facts: readonly Fact[]): FactCounts {
  const of = (wanted: FactKind) => facts.filter(({ kind }) => kind === wanted).length;
  return {
    total: facts.length,
    proved: of("proved"),
    signed: of("signed"),
    observed: of("observed"),
    stated: of("stated"),
  };
}

/** `17 facts: 9 proved, 3 signed, 2 observed, 3 stated`. */
export function countsText(counts: FactCounts): string {
  const kinds = FACT_KINDS.map((kind) => `${counts[kind]} ${kind}`).join(", ");
  return `${counts.total} ${counts.total === 1 ? "fact" : "facts"}: ${kinds}`;
}
