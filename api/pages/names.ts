/** Issuers and chains as people know them. What has no name stands as it is. */
import type { Language } from "./language.ts";
import TOKEN_WORDS from "./words/token.json" with { type: "json" };

const named = (names: Readonly<Record<string, string>>, key: string): string =>
  Object.hasOwn(names, key) ? (names[key] ?? key) : key;

export const issuerName = (issuer: string, language: Language): string =>
  named(TOKEN_WORDS[language].issuers, issuer);

export const chainName = (chain: string, language: Language): string =>
  named(TOKEN_WORDS[language].chains, chain);
