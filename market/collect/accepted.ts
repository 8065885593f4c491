/** What comes in, without what cannot be true. */
import type { Rejection } from "../series/rejected.ts";
import { noteStated } from "./exclusions.ts";
import type { Findings } from "./sources.ts";
import { type Round, seconds } from "./types.ts";

interface Priced {
  readonly subject: string;
  readonly source: string;
  readonly price: string;
  readonly at: number | null;
}

/** Leaves out the prices that cannot be true, and records why. */
export async function accepted<T>(
  round: Round,
  kind: string,
  findings: Findings<T>,
  pricedOf: (row: T) => Priced,
): Promise<T[]> {
  const before = await noted(round, findings);
  noteStated(round, kind, before);
  const now = seconds(round);
  const turnedAway: Rejection[] = [];
  const rows = before.filter((row) => {
    const { subject, source, price, at } = pricedOf(row);
    const reason = round.memory.judge.judge(`${kind}/${source}/${subject}`, price, at, now);
    if (reason !== null) turnedAway.push({ kind, subject, reason, sample: row });
    return reason === null;
  });
  await round.reject(turnedAway);
  return rows;
}

/** Notes what failed and was rejected already. @returns the rows */
export async function noted<T>(round: Round, findings: Findings<T>): Promise<readonly T[]> {
  for (const { subject, error } of findings.failures ?? []) round.fail(subject, error);
  await round.reject(findings.rejected ?? []);
  return findings.rows;
}
