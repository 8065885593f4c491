/** What a judgement asks beyond the chain: the shape of the answers. Who asks the providers is told from outside. */
import type { ReferencePrice, SourceFailure, TokenFacts } from "../../attestor/evidence/facts.ts";
import {
  type PriceSource,
  type ProviderPriceSource,
  type ProviderTokenSource,
  sourceName,
} from "../../attestor/sources.ts";

/** Why a source stated nothing, and the hash of what it answered. */
export type Lack = Pick<SourceFailure, "reason" | "rawHash">;

/** Of which asset a source was asked is told by who asked. */
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
   * @returns `lack`: why whatever is missing is
   */
  token(
    source: ProviderTokenSource,
    address: string,
    now: number,
  ): Promise<{ readonly facts: TokenFacts; readonly lack: Lack }>;
}
