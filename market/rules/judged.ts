/** Statements as witnesses of a level, and what a sample and the record say of them. */
import type { UnixSeconds } from "../../attestor/values/time.ts";
import type { Level, Witness } from "../level.ts";
import type { Input } from "../series/fields.ts";
import type { Rejection } from "../series/rejected.ts";
import { sumOf } from "../series/units.ts";
import type { Statement } from "../statement.ts";

/** A level of statements. */
export type Judged<S> = Level<Witness & { readonly row: S }>;

/** What does not count, and why. */
export interface Exclusion<S> {
  readonly row: S;
  readonly reason: string;
}

/** @param figure where it is not the statement's own */
export function witnessOf<S extends Statement>(
  row: S,
  toleranceBps: number,
  figure: string = row.figure ?? "",
): Witness & { readonly row: S } {
  const { source, origin, at: publishedAt } = row;
  return { source, origin, figure, publishedAt, toleranceBps, row };
}

/** What does not count of a subject, for the record. */
export const excluded = (
  kind: string,
  subject: string,
  exclusions: readonly Exclusion<unknown>[],
): Rejection[] => exclusions.map(({ row: sample, reason }) => ({ kind, subject, reason, sample }));

/** Why the rows of a level do not count: a majority is against them, or there is none. */
export function outliersOf<S>({ outliers, state }: Judged<S>): Exclusion<S>[] {
  return outliers.map(({ row }) => ({ row, reason: state === "disputed" ? "disputed" : "outlier" }));
}

const DISPUTED = { figure: null, state: "disputed", spreadBps: null, agreed: [] } as const;

/** The same level, turned down: what stood for it is set aside for a reason of its own. */
export function turnedDown<S>(level: Judged<S>): Judged<S> {
  return { ...DISPUTED, outliers: [...level.agreed, ...level.outliers] };
}

/** A level that may be missing. */
type Any = Level<Witness> | null | undefined;

/** How old the oldest of the witnesses that agree is at a unix second; null where an age is not known, or none agrees. */
export function ageOf(level: Any, at: UnixSeconds): number | null {
  const ages = (level?.agreed ?? []).map(({ publishedAt }) =>
    publishedAt === null ? null : Math.max(0, at - publishedAt),
  );
  return ages.length === 0 || ages.includes(null) ? null : Math.max(...ages.map(Number));
}

/** The names of a level's sources, for a sample; null where there are none. */
export function namesOf(level: Any): string | null {
  const { agreed = [], outliers = [] } = level ?? {};
  const sources = (agreed.length > 0 ? agreed : outliers).map(({ source }) => source);
  return sources.length === 0 ? null : [...new Set(sources)].sort().join(",");
}

/** The witnesses of a level, as a sample lists them. */
export function inputsOf(of: Input[0], level: Any, at: UnixSeconds): Input[] {
  const { agreed = [], outliers = [] } = level ?? {};
  return [...agreed, ...outliers].map((witness) => {
    const { source, figure, publishedAt } = witness;
    const age = publishedAt === null ? null : at - publishedAt;
    return [of, source, figure, age, agreed.includes(witness) ? 1 : 0];
  });
}

/** What the witnesses of several levels let a figure vary, basis points; null where none has two. */
export function spreadOf(levels: readonly (Level<unknown> | null | undefined)[]): string | null {
  const spreads = levels.flatMap((level) => level?.spreadBps ?? []);
  return spreads.length === 0 ? null : sumOf(spreads);
}

/** The fewest sources that agree on one of several levels; null: nobody does. */
export const witnessesOf = (levels: readonly Any[]): number | null =>
  Math.min(...levels.flatMap((level) => level?.agreed.length ?? [])) || null;
