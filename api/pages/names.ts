/** Issuers, chains and sessions as people know them. What has no name stands as it is. */
import type { Language } from "./language.ts";
import SESSION_WORDS from "./words/session.json" with { type: "json" };
import TOKEN_WORDS from "./words/token.json" with { type: "json" };

export const named = (names: Readonly<Record<string, string>>, key: string, otherwise = key): string =>
  Object.hasOwn(names, key) ? (names[key] ?? otherwise) : otherwise;

export const issuerName = (issuer: string, language: Language): string =>
  named(TOKEN_WORDS[language].issuers, issuer);

export const chainName = (chain: string, language: Language): string =>
  named(TOKEN_WORDS[language].chains, chain);

export const sessionName = (session: string, language: Language): string =>
  named(SESSION_WORDS[language], session);
