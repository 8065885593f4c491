/** What adapters share in reading answers row by row, so that one bad row costs itself alone. */
import type { z } from "zod";
import type { Answer, Failure, Kind, Rejected, Statement } from "../statement.ts";
import { fieldOf, ProviderFault } from "./fault.ts";
import { NOT_POSITIVE } from "./values.ts";

/** Why a value that a schema turned away was turned away, and because of which field. */
export function whyOf(error: z.ZodError, isMissing = false): Pick<Rejected, "reason" | "field"> {
  if (isMissing) return { reason: "missing" };
  if (error.issues.some((issue) => issue.message === NOT_POSITIVE)) return { reason: "not_positive" };
  return { reason: "shape", field: fieldOf(error) };
}

/** @param of what the rows state @param subjectOf what a row is called that cannot be read */
export function readRows<T>(
  of: Kind,
  list: readonly unknown[],
  schema: z.ZodType<T>,
  subjectOf: (index: number) => string,
): { readonly rows: readonly T[]; readonly rejected: readonly Rejected[] } {
  const rows: T[] = [];
  const rejected: Rejected[] = [];
  list.forEach((row, index) => {
    const parsed = schema.safeParse(row);
    if (parsed.success) rows.push(parsed.data);
    else rejected.push({ of, subject: subjectOf(index), ...whyOf(parsed.error) });
  });
  return { rows, rejected };
}

/** An answer of which nothing can be read is a fault and no empty list. @throws ProviderFault `shape` */
export function readable<S extends Statement>(
  provider: string,
  answer: Answer<S>,
  rawHash?: string,
): Answer<S> {
  if (answer.statements.length > 0) return answer;
  const field = answer.rejected.find((one) => one.field !== undefined)?.field ?? "answer";
  throw new ProviderFault(provider, "shape", { field, ...(rawHash !== undefined && { rawHash }) });
}

/**
 * Of several rows of one thing the newest.
 * @param keyOf what a row is of; undefined: it does not say
 * @param timeOf undefined where it cannot be read: any other row is newer
 */
export function newestOf(
  rows: readonly unknown[],
  keyOf: (row: unknown) => string | undefined,
  timeOf: (row: unknown) => number | undefined,
): ReadonlyMap<string, unknown> {
  const newest = new Map<string, unknown>();
  for (const row of rows) {
    const key = keyOf(row);
    if (key === undefined) continue;
    if (!newest.has(key) || (timeOf(row) ?? -1) > (timeOf(newest.get(key)) ?? -1)) newest.set(key, row);
  }
  return newest;
}

/** Several answers as one. */
export function joined<S extends Statement>(answers: readonly Answer<S>[]): Answer<S> {
  return {
    statements: answers.flatMap(({ statements }) => statements),
    rejected: answers.flatMap(({ rejected }) => rejected),
    failures: answers.flatMap(({ failures = [] }) => failures),
  };
}

const AT_ONCE = 8;

/** Asks about each, some at a time. One that cannot be had costs itself alone. */
export async function askEach<T, S extends Statement>(
  list: readonly T[],
  subjectOf: (one: T) => string,
  ask: (one: T) => Promise<Answer<S>>,
): Promise<Answer<S>> {
  const answers: Answer<S>[] = [];
  const failures: Failure[] = [];
  const queue = list.values();
  const work = async () => {
    for (const one of queue)
      try {
        answers.push(await ask(one));
      } catch (error) {
        failures.push({ subject: subjectOf(one), error });
      }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const answer = joined(answers);
  return { ...answer, failures: [...(answer.failures ?? []), ...failures] };
}

/** Statements about a ticker, or about no token at all: whoever makes them names them alike. */
const NOT_OF_TOKENS: ReadonlySet<Kind> = new Set([
  "reference",
  "close",
  "report",
  "dollar",
  "perp",
  "funding",
]);

/**
 * The same answer about asset keys; what no token is called is left out.
 * @param nameOf what the provider calls a token; null: it knows none such
 */
export function aboutTokens<T extends { readonly assetKey: string }>(
  { statements, rejected, failures = [] }: Answer,
  tokens: readonly T[],
  nameOf: (token: T) => string | null,
): Answer {
  const keys = new Map<string, string>();
  for (const token of tokens) {
    const name = nameOf(token);
    if (name !== null) keys.set(name, token.assetKey);
  }
  const named = <S extends Statement>(statement: S): S[] => {
    if (NOT_OF_TOKENS.has(statement.of)) return [statement];
    const subject = keys.get(statement.subject);
    return subject === undefined ? [] : [{ ...statement, subject }];
  };
  return {
    statements: statements.flatMap(named),
    rejected: rejected.map((row) => ({ ...row, subject: keys.get(row.subject) ?? row.subject })),
    failures,
  };
}
