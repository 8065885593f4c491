/** What an issuer's list says of the tokens that it should have. */
import type { MarketAsset } from "../queries.ts";
import type { Answer, ListingState } from "../statement.ts";
import { aboutTokens } from "./rows.ts";
import { canonicalAddress, sameAddress } from "./values.ts";

/**
 * The answer about asset keys. A token that the list does not have is missing, unless a row that could not be read may be
 * about it; one that the list has at other addresses alone has moved.
 * @param tokens of the list @param nameOf what the list calls them
 */
export function withMissing(
  source: string,
  answer: Answer,
  tokens: readonly MarketAsset[],
  nameOf: (token: MarketAsset) => string | null,
): Answer {
  const aboutListed = aboutTokens(answer, tokens, nameOf);
  const byKey = new Map(tokens.map((token) => [token.assetKey, token]));
  const statements = aboutListed.statements.map((one) =>
    one.of === "listing" ? placed(one, byKey.get(one.subject)) : one,
  );
  const listed = new Set(statements.flatMap(({ of, subject }) => (of === "listing" ? [subject] : [])));
  const unread = answer.rejected.filter(({ reason }) => reason !== "missing").map(({ subject }) => subject);
  const isSurelyNot = ({ chain, address }: MarketAsset, name: string) =>
    canonicalAddress(chain, name) !== null && !sameAddress(chain, name, address);
  const missing = tokens
    .filter((token) => !listed.has(token.assetKey) && unread.every((name) => isSurelyNot(token, name)))
    .map(({ assetKey }): ListingState => {
      const stated = { subject: assetKey, source, origin: source, at: null, rawHash: null };
      return { ...stated, of: "listing", figure: "missing", isHalted: null };
    });
  return { ...aboutListed, statements: [...statements, ...missing] };
}

function placed(one: ListingState, token: MarketAsset | undefined): ListingState {
  if (token === undefined || one.addresses === undefined) return one;
  const isThere = one.addresses.some((address) => sameAddress(token.chain, address, token.address));
  return { ...one, figure: isThere ? "listed" : "migrated" };
}
