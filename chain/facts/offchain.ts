/** What a judgement asks beyond the chain: the shape of the answers. Who asks the providers is told from outside. */
import type { ReferencePrice, TokenFacts } from "../../attestor/evidence/facts.ts";
import type { ProviderFeed, ProviderTokenSource } from "../deployment.ts";

/** Nothing here throws: what is not known is missing or null. */
export interface OffchainSources {
  references(feeds: readonly ProviderFeed[]): Promise<ReferencePrice[]>;
  /** @param address of the token, EIP-55 @param now unix seconds */
  token(source: ProviderTokenSource, address: string, now: number): Promise<TokenFacts>;
}
