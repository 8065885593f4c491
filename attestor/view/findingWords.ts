/** A finding as a sentence, with its limit: `Guard paused: no (must be no)`. */
import type { Unit } from "../checks/measure.ts";
import type { PolicyCheck } from "../policies/policyDefinition.ts";
import { wholeUnits } from "../values/wholeUnits.ts";
import { cut, grouped, minus } from "./amounts.ts";
import WORDS from "./findingWords.json" with { type: "json" };
import { filled, type Language } from "./language.ts";
import type { FindingView, TokenUnit } from "./reportView.ts";
import { durationText } from "./times.ts";
import REPORT_WORDS from "./words.json" with { type: "json" };

type Names = Readonly<Record<PolicyCheck["name"], string>>;
/** A check without a name in either language is a type error. */
const NAMES: Readonly<Record<Language, Names>> = { en: WORDS.en.names, zh: WORDS.zh.names };

const DECIMAL = /^-?[0-9]+(\.[0-9]+)?$/;
const INTEGER = /^-?[0-9]{1,300}$/;

export interface FindingSentence {
  /** `Guard paused: no`. */
  readonly stated: string;
  /** `must be no`; null: the finding has no limit. */
  readonly limit: string | null;
  /** Both together. */
  readonly text: string;
}

/** What a finding says, in words. A check that this program does not know is called by its own name. */
export function findingSentence(finding: FindingView, language: Language): FindingSentence {
  const words = WORDS[language];
  const { check, observed, unit, token } = finding;
  const name = findingName(check, language);
  const value = observed === null ? words.notKnown : valueText(observed, unit, { language, token });
  const stated = filled(words.sentence, { name, value });
  const limit = limitText(finding, language);
  return { stated, limit, text: limit === null ? stated : filled(words.limited, { stated, limit }) };
}

/** What a check looks at; its own name where these words do not know it. */
export const findingName = (check: string, language: Language): string =>
  named(NAMES[language], check) ?? check;

export const listText = (texts: readonly string[], language: Language): string =>
  texts.join(WORDS[language].listed);

function limitText({ check, limit, unit, token, bound }: FindingView, language: Language): string | null {
  if (limit === null) return null;
  const { limits } = WORDS[language];
  const sentence = named(limits, check) ?? limits[bound ?? "none"];
  return filled(sentence, { limit: valueText(limit, unit, { language, token }) });
}

/** Digits of an amount where no more are needed to know it. */
const DIGITS = 6;

/** Raw units of a token, cut towards zero: `0.92537 AAPLx`. */
export const shortAmount = (raw: string, { symbol, decimals }: TokenUnit): string =>
  `${grouped(cut(wholeUnits(raw, decimals), DIGITS))} ${symbol}`;

const named = (names: Readonly<Record<string, string>>, key: string): string | undefined =>
  Object.hasOwn(names, key) ? names[key] : undefined;

/**
 * A value as people write it: `12.5 bps`, `$1,234.5`, `2 min 5 s`, `0.9254 AAPLx`. Exact. What is a code of the method is
 * a word; what is neither stays as it is.
 * @param token whose raw units they are
 */
export function valueText(
  value: string,
  unit: Unit | null,
  { language, token = null }: { readonly language: Language; readonly token?: TokenUnit | null },
): string {
  if (unit === "s" && INTEGER.test(value)) return durationText(BigInt(value), language);
  if (unit === "raw" && token !== null && INTEGER.test(value))
    return `${grouped(wholeUnits(value, token.decimals))} ${token.symbol}`;
  if (unit !== null && unit !== "text" && DECIMAL.test(value))
    return filled(REPORT_WORDS[language].units[unit], { n: minus(grouped(value)) });
  const { values } = WORDS[language];
  return listText(
    value.split(", ").map((each) => named(values, each) ?? each),
    language,
  );
}
