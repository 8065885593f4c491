/** The answers that a judgement needs from beyond the chain. The caller injects what asks the providers. */
import type { ReferencePrice, SourceFailure, TokenFacts } from "../../attestor/evidence/facts.ts";
import {
  type PriceSource,
  type ProviderPriceSource,
  type ProviderTokenSource,
  sourceName,
} from "../../attestor/sources.ts";

/** Why a source stated nothing, and the hash of what it answered. */
export type Lack = Pick<SourceFailure, "reason" | "rawHash">;

/** The caller adds the asset that the source was asked about. */
export type Failure = Omit<SourceFailure, "asset">;

export interface Prices {
  readonly readings: readonly ReferencePrice[];
  /** One for each source that has no reading. */
  readonly failures: readonly Failure[];
}

/** What sources answered, or why they did not. @param at unix seconds */
export function pricesOf(
  answers: readonly { readonly source: PriceSource; readonly answer: ReferencePrice | Lack }[],
  at: number,
): Prices {
  return {
    readings: answers.flatMap(({ answer }) => ("reason" in answer ? [] : [answer])),
    failures: answers.flatMap(({ source, answer }) =>
      "reason" in answer ? [{ source: sourceName(source), subject: "price" as const, at, ...answer }] : [],
    ),
  };
}

/** Nothing here throws: what is not known is a failure, or null. */
export interface OffchainSources {
  prices(sources: readonly ProviderPriceSource[], now: number): Promise<Prices>;
  /**
   * @param address of the token, EIP-55
   * @param now unix seconds
   * @returns `lack`: why something is missing
   */
  token(
    source: ProviderTokenSource,
    address: string,
    now: number,
  ): Promise<{ readonly facts: TokenFacts; readonly lack: Lack }>;
}
