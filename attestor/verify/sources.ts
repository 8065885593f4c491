/**
 * Compares the evidence's prices and token facts with the sources that the registry lists. Each must have answered or be
 * named as failed, and no other source counts.
 */
import type { Evidence } from "../evidence/evidence.ts";
import type { ReferencePrice, SourceFailure } from "../evidence/facts.ts";
import { KNOWN_KEYS } from "../publishers/publisherKeys.ts";
import { checkPriceProof } from "../publishers/publishers.ts";
import { findAsset, type Registry } from "../registry.ts";
import {
  inOrder,
  isChainPrice,
  isChainToken,
  type PriceSource,
  providerOf,
  type Subject,
  sourceName,
  subjectsOf,
  type TokenSource,
} from "../sources.ts";
import { addressOf } from "../values/primitives.ts";

/** What of the evidence's prices and token facts is not of the registry's sources, in words that end no sentence. */
export function sourceFaults(evidence: Evidence, registry: Registry): string[] {
  return [
    ...priceFaults(evidence, registry, "stock"),
    ...priceFaults(evidence, registry, "settlement"),
    ...tokenFaults(evidence, registry),
    // Of the settlement token nothing but prices is asked.
    ...failuresOf(evidence, "settlement", false).beyond([]),
  ];
}

/** The failures of an asset's sources: what is said to have failed, and which of that nobody asked for. */
function failuresOf({ failures }: Evidence, asset: SourceFailure["asset"], isPrice: boolean) {
  const failuresOfAsset = failures.filter(
    (one) => one.asset === asset && (one.subject === "price") === isPrice,
  );
  const names = new Set(failuresOfAsset.map(({ source, subject }) => `${subject} ${source}`));
  return {
    has: (subject: Subject, source: PriceSource | TokenSource) =>
      names.has(`${subject} ${sourceName(source)}`),
    beyond: (asked: readonly string[]) =>
      [...names].filter((name) => !asked.includes(name)).map((name) => `nobody is asked for ${name}`),
    twice: failuresOfAsset.length > names.size ? ["a source is said to have failed twice"] : [],
  };
}

function priceFaults(evidence: Evidence, registry: Registry, asset: SourceFailure["asset"]): string[] {
  const { trade, chain, references, settlement } = evidence;
  const [readings, assetKey] =
    asset === "stock" ? [references, trade.stockAssetKey] : [settlement, trade.settlementAssetKey];
  const sources = findAsset(registry, assetKey)?.priceSources ?? [];
  const failed = failuresOf(evidence, asset, true);
  const isOf = (source: PriceSource) => (reading: ReferencePrice) =>
    states(source, reading, feedOf(reading, chain.chainId));
  const strangers = readings.filter((reading) => !sources.some((source) => isOf(source)(reading)));
  return [
    ...strangers.map(
      ({ provider, kind, symbol }) =>
        `the ${kind} price of ${symbol} by ${provider} is of no source that it lists`,
    ),
    ...sources.flatMap((source) => {
      const count = readings.filter(isOf(source)).length;
      return countFault(source, "price", count + (failed.has("price", source) ? 1 : 0));
    }),
    ...failed.beyond(sources.map((source) => `price ${sourceName(source)}`)),
    ...failed.twice,
  ];
}

function countFault(source: PriceSource | TokenSource, subject: Subject, answers: number): string[] {
  if (answers === 1) return [];
  const name = sourceName(source);
  return [
    answers === 0 ? `${name} states no ${subject} and is not said to have failed` : `${name} is there twice`,
  ];
}

/** The feed that a proof is of, signed or not; null where that cannot be read. */
function feedOf({ proof }: ReferencePrice, chainId: number): string | null {
  if (proof === null) return null;
  const check = checkPriceProof(proof, KNOWN_KEYS, chainId);
  return check.outcome === "broken" ? null : (check.price?.feedId ?? null);
}

function states(source: PriceSource, reading: ReferencePrice, signedFeed: string | null): boolean {
  const { provider, kind, symbol, onChain } = reading;
  if (provider !== providerOf(source) || kind !== source.kind || symbol !== source.symbol) return false;
  const feedId = "feedId" in source ? source.feedId : null;
  if (isChainPrice(source)) return onChain?.address === source.address && onChain.feedId === feedId;
  return onChain === null && (signedFeed === null || signedFeed === feedId);
}

type Statement = { readonly provider: string; readonly address: string | null };

function tokenFaults(evidence: Evidence, registry: Registry): string[] {
  const { token, trade } = evidence;
  const sources = inOrder(findAsset(registry, trade.stockAssetKey)?.tokenSources ?? []);
  const failed = failuresOf(evidence, "stock", false);
  const isOf = (source: TokenSource) => (statement: Statement) =>
    saidBy(source, statement, addressOf(trade.stockAssetKey));
  const able = (subject: Subject) =>
    sources.filter((source) => subjectsOf(source).some((one) => one === subject));
  // Of Backed's tokens some announce changes, and the others miss nothing.
  const mayState = (subject: Subject) => (source: TokenSource) =>
    able(subject).includes(source) || (subject === "announcement" && source.source === "backed");
  const statements = { factor: [token.factor], announcement: [token.announcement], halt: token.halts };
  const strangers = (["factor", "announcement", "halt"] as const).flatMap((subject) =>
    statements[subject]
      .filter((one) => one !== null)
      .filter((one) => !sources.filter(mayState(subject)).some((source) => isOf(source)(one)))
      .map(({ provider }) => `the ${subject} by ${provider} is of no source that it lists for that`),
  );
  return [
    ...strangers,
    ...(["factor", "announcement"] as const).flatMap((subject) => {
      const statement = token[subject];
      // The first that answers counts, so each one before it must have failed.
      const used = statement === null ? -1 : sources.findIndex((source) => isOf(source)(statement));
      const before =
        used < 0 ? able(subject) : able(subject).filter((source) => sources.indexOf(source) < used);
      return before
        .filter((source) => !failed.has(subject, source))
        .map((source) => `${sourceName(source)} states no ${subject} and is not said to have failed`);
    }),
    ...able("halt").flatMap((source) => {
      const count = token.halts.filter(isOf(source)).length;
      return countFault(source, "halt", count + (failed.has("halt", source) ? 1 : 0));
    }),
    ...failed.beyond(
      sources.flatMap((source) => subjectsOf(source).map((subject) => `${subject} ${sourceName(source)}`)),
    ),
    ...failed.twice,
  ];
}

/** Whether a statement about the token is that source's: an oracle has its own address, all else on the chain has the token's. */
function saidBy(source: TokenSource, { provider, address }: Statement, token: string): boolean {
  const name = source.source === "halt-flag" ? source.function : source.source;
  if (provider !== name) return false;
  if (!isChainToken(source)) return address === null;
  return address === (source.source === "ondo-oracle" ? source.address : token);
}
