/** `--plan` and `--plan --storage`: what collecting asks of the providers, as a table for people. */
import type { Plan, ProviderPlan } from "../../market/live/plan.ts";
import { ROUND_SECONDS } from "../../market/live/plan.ts";
import type { StoragePlan } from "../../market/live/storage.ts";

const COLUMNS: readonly (readonly [name: string, figure: (provider: ProviderPlan) => string])[] = [
  ["limit/min", ({ limit }) => text(limit)],
  ["for jobs", ({ jobs }) => text(jobs)],
  ["collectors", ({ collecting }) => text(collecting)],
  ["asked/min", ({ perMinute }) => text(perMinute)],
  ["a round", ({ perRound }) => text(perRound)],
  ["takes", ({ roundSeconds }) => seconds(roundSeconds)],
  ["impacts", ({ perImpacts }) => text(perImpacts)],
  ["take", ({ impactsSeconds }) => seconds(impactsSeconds)],
];

export function planLines(plan: Plan): string[] {
  const { tokens, priced, unpriced, providers, roundSeconds, impactsSeconds } = plan;
  return [
    `${tokens} tokens are listed, ${priced} of them can have a premium with the keys that are set.`,
    ...unpriced.map(
      ({ issuer, chain, count, why }) => `No premium for ${count} of ${issuer} on ${chain}: ${why}.`,
    ),
    "",
    row(["provider", ...COLUMNS.map(([name]) => name)]),
    ...providers.map((provider) =>
      row([provider.provider, ...COLUMNS.map(([, figure]) => figure(provider))]),
    ),
    "",
    `A round of prices begins every ${ROUND_SECONDS / 60} minutes and takes ${seconds(roundSeconds)}: its steps run beside each other, and the`,
    `slowest provider decides. A <PROVIDER>_LIMIT that a paid key allows makes it shorter.`,
    `A round of impacts takes ${seconds(impactsSeconds)} beside them.`,
    "Requests a minute; a fallback provider is not asked while the other answers.",
  ];
}

/** `--plan --storage`: what is stored after some years. */
export function storageLines({ days, tables }: StoragePlan): string[] {
  const sum = (engine: "sqlite" | "postgres") => tables.reduce((bytes, table) => bytes + table[engine], 0);
  return [
    `What is stored after ${days} days of collecting, not counting what was excluded:`,
    "",
    wide(["table", "rows a day", "days kept", "rows", "SQLite", "PostgreSQL"]),
    ...tables.map(({ table, rowsADay, keptDays, rows, sqlite, postgres }) =>
      wide([table, grouped(rowsADay), String(keptDays), grouped(rows), bytes(sqlite), bytes(postgres)]),
    ),
    wide(["all", "", "", "", bytes(sum("sqlite")), bytes(sum("postgres"))]),
  ];
}

const wide = ([name = "", ...rest]: readonly string[]) =>
  name.padEnd(16) + rest.map((figure) => figure.padStart(13)).join("");

const grouped = (count: number) => count.toLocaleString("en");
const bytes = (count: number) =>
  count < 1e9 ? `${Math.round(count / 1e6)} MB` : `${(count / 1e9).toFixed(1)} GB`;

const row = ([name = "", ...rest]: readonly string[]) =>
  name.padEnd(12) + rest.map((figure) => figure.padStart(11)).join("");

const text = (figure: number) => String(Math.round(figure * 10) / 10);

function seconds(figure: number): string {
  if (figure === 0) return "-";
  return figure < 100 ? `${Math.ceil(figure)} s` : `${text(figure / 60)} min`;
}
