/** A finding in words: what was looked at, what was observed, and what would pass. */
import type { Evidence } from "../evidence/evidence.ts";
import { wholeUnits } from "../values/wholeUnits.ts";
import { cut, grouped, minus } from "./amounts.ts";
import CHECKS from "./checks.json" with { type: "json" };
import WORDS from "./findingWords.json" with { type: "json" };
import { filled } from "./language.ts";
import { durationText } from "./times.ts";
import REPORT_WORDS from "./words.json" with { type: "json" };

/** In what observed value and limit of a check are counted; `raw`: units of the output token. */
export type Unit = "bps" | "s" | "USD" | "count" | "raw" | "text";

interface CheckWords {
  readonly name: string;
  /** What the check asks, for somebody who meets it for the first time. */
  readonly question: string;
  readonly unit: Unit;
  /** How the limit bounds what is observed. */
  readonly limit: string;
  /** The figure may be so large at `most`, or so far from zero `either` way. */
  readonly bound?: string;
}

const CHECK_WORDS = new Map(Object.entries(CHECKS as Readonly<Record<string, CheckWords>>));

/** Of a check that these words do not know its own name, and texts alone. */
export const checkWords = (check: string): CheckWords =>
  CHECK_WORDS.get(check) ?? { name: check, question: "", unit: "text", limit: WORDS.limit };

const DECIMAL = /^-?[0-9]+(\.[0-9]+)?$/;
const INTEGER = /^-?[0-9]{1,300}$/;

export interface FindingView {
  readonly check: string;
  /** What the check asks; empty of a check that this program does not know. */
  readonly question: string;
  readonly outcome: "pass" | "fail" | "unavailable";
  readonly observed: string | null;
  readonly limit: string | null;
  /** In the method's own words. */
  readonly message: string;
  readonly unit: Unit;
  /** Whose raw units they are; null: of none. */
  readonly token: TokenUnit | null;
}

/** A finding as the cells of a row. */
export interface FindingCells {
  /** `Guard paused`. */
  readonly name: string;
  /** `no`; `not known` where a fact is missing. */
  readonly observed: string;
  /** What passes: `must be no`; null: the finding has no limit. */
  readonly limit: string | null;
  /** How much of its limit is used up, 0 to 1; null: it has none that could be. */
  readonly used: number | null;
}

/** What a finding says, in words. */
export function findingCells(finding: FindingView): FindingCells {
  const { check, observed, limit, unit, token } = finding;
  return {
    name: findingName(check),
    observed: observed === null ? WORDS.notKnown : valueText(observed, unit, token),
    limit: limit === null ? null : filled(checkWords(check).limit, { limit: valueText(limit, unit, token) }),
    used: usedOf(finding),
  };
}

function usedOf({ check, observed, limit }: FindingView): number | null {
  const { bound } = checkWords(check);
  if (bound === undefined || observed === null || limit === null) return null;
  if (!DECIMAL.test(observed) || !DECIMAL.test(limit) || Number(limit) <= 0) return null;
  const value = bound === "either" ? Math.abs(Number(observed)) : Math.max(0, Number(observed));
  return Math.min(1, value / Number(limit));
}

/** What a check looks at. */
export const findingName = (check: string): string => checkWords(check).name;

export const listText = (texts: readonly string[]): string => texts.join(WORDS.listed);

/** A token as amounts of it are written. */
export interface TokenUnit {
  readonly symbol: string;
  readonly decimals: number;
}

/** What a trade takes, and what it brings. */
export function tokensOf({
  side,
  symbol,
  settlementSymbol,
  inputDecimals,
  outputDecimals,
}: Evidence["trade"]) {
  const [input, output] = side === "buy" ? [settlementSymbol, symbol] : [symbol, settlementSymbol];
  return {
    input: { symbol: input, decimals: inputDecimals },
    output: { symbol: output, decimals: outputDecimals },
  };
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
export function valueText(value: string, unit: Unit | null, token: TokenUnit | null = null): string {
  if (unit === "s" && INTEGER.test(value)) return durationText(BigInt(value));
  if (unit === "raw" && token !== null && INTEGER.test(value))
    return `${grouped(wholeUnits(value, token.decimals))} ${token.symbol}`;
  if (unit !== null && unit !== "text" && DECIMAL.test(value))
    return filled(REPORT_WORDS.units[unit], { n: minus(grouped(value)) });
  return listText(value.split(", ").map((each) => named(WORDS.values, each) ?? each));
}
