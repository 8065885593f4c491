/**
 * What the log says of a step: one line for each problem, however many tokens it affects. A field that a provider has
 * renamed is one warning with its name and a count.
 */
import { z } from "zod";
import type { Rejection } from "../series/rejected.ts";
import type { CollectLog, StepKind } from "./types.ts";

/** The most subjects in a line. */
const NAMED = 5;

/** How a rejection, or a fault, says that an answer has another shape. */
const Misshapen = z.looseObject({ provider: z.string(), field: z.string() });

/** The first of a list of names, and how many more there are. */
export const named = (subjects: readonly string[]): string =>
  subjects.slice(0, NAMED).join(", ") +
  (subjects.length > NAMED ? ` and ${subjects.length - NAMED} more` : "");

/** @param told fields that a step of this round has warned of: the next one that meets them does not */
export function createTroubles(kind: StepKind, told: Set<string>) {
  const failures = new Map<string, { error: unknown; subjects: string[] }>();
  const fields = new Map<string, { provider: string; field: string; count: number }>();

  const misshapen = (found: unknown): boolean => {
    const { data } = Misshapen.safeParse(found);
    if (!data) return false;
    const { provider, field } = data;
    const key = JSON.stringify([provider, field]);
    fields.set(key, { provider, field, count: (fields.get(key)?.count ?? 0) + 1 });
    return true;
  };

  return {
    failed(subject: string, error: unknown): void {
      const causes = error instanceof AggregateError ? error.errors : [error];
      for (const cause of causes) misshapen(cause);
      const key = causes.map(String).join("; ");
      const failure = failures.get(key) ?? { error, subjects: [] };
      failure.subjects.push(subject);
      failures.set(key, failure);
    },
    rejected(rejections: readonly Rejection[]): void {
      for (const { reason, sample } of rejections) if (reason === "shape") misshapen(sample);
    },
    tell(log: CollectLog): void {
      for (const [key, { provider, field, count }] of fields) {
        if (told.has(key)) continue;
        told.add(key);
        log.warn(
          { provider, field, count, kind },
          `${provider} answers in an unexpected shape: ${field} is not as expected, ${count} times in this round`,
        );
      }
      for (const [cause, { error, subjects }] of failures) {
        log.error(
          { err: error, kind, count: subjects.length, cause },
          `no ${kind} of ${named(subjects)} in this round`,
        );
      }
    },
  };
}
