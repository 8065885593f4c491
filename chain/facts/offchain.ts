/** What a judgement asks beyond the chain: the shape of the answers. Who asks the providers is told from outside. */
import type { ReferencePrice, TokenFacts } from "../../attestor/evidence.ts";
import type { ProviderFeed, TokenSource } from "../deployment.ts";

/** Nothing here throws: what is not known is missing or null. */
export interface OffchainSources {
  references(feeds: readonly ProviderFeed[]): Promise<ReferencePrice[]>;
  /** `now` in unix seconds. */
  token(source: TokenSource, now: number): Promise<TokenFacts | null>;
}
