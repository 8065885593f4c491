/** The rows of a rehearsal as a table. */
import { RECOVERED_WITHIN_MS, type Row } from "./run.ts";

const HEADING = [
  "| fault | errors seen | recovered after | lost | doubled | p99 of reads | p99 back after | promises |",
  "|---|---|---|---|---|---|---|---|",
];

export function tableOf(rows: readonly Row[]): string {
  return [...HEADING, ...rows.map(lineOf)].join("\n");
}

export function lineOf(row: Row): string {
  const { fault, errors, recoveredMs, lost, doubled, p99, fastMs, broken } = row;
  const back =
    fastMs === null ? "" : fastMs > RECOVERED_WITHIN_MS ? `${seconds(fastMs)} (late)` : seconds(fastMs);
  const cells = [
    fault,
    errors,
    recoveredMs === null ? "" : seconds(recoveredMs),
    lost,
    doubled,
    milliseconds(p99),
    back,
    broken.length === 0 ? "kept" : `BROKEN: ${broken.join("; ").replaceAll(/\s+/g, " ")}`,
  ];
  return `| ${cells.join(" | ")} |`;
}

const seconds = (ms: number): string => (ms === 0 ? "at once" : `${(ms / 1_000).toFixed(1)} s`);
const milliseconds = (ms: number | null): string => (ms === null ? "" : `${ms.toFixed(0)} ms`);
