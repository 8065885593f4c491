/** What the sections of a token's page are made of. */
import type { Language } from "./language.ts";
import type { TokenSeries } from "./tokenSeries.ts";
import type { TokenWords } from "./tokenTables.ts";

export interface Section {
  readonly series: TokenSeries;
  readonly words: TokenWords;
  readonly language: Language;
}
