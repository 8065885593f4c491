/** Fixes past mistakes manually: `--recompute` and `--retract`. */
import { type RepairDeps, RepairError, recompute, retract, type Span } from "../../market/collect/repair.ts";

export interface RepairCommandDeps {
  readonly market: RepairDeps;
  /** The operator, who is kept with a retraction. */
  readonly actor: string;
  print(line: string): void;
  printError(line: string): void;
}

export type RepairOptions = Readonly<
  Partial<Record<"recompute" | "retract" | "from" | "to" | "at" | "reason", string>>
>;

/** @returns the exit code; undefined where the options ask for nothing of this */
export async function runRepair(
  options: RepairOptions,
  deps: RepairCommandDeps,
): Promise<number | undefined> {
  const { recompute: again, retract: retracted, from, to, reason } = options;
  try {
    if (again !== undefined && from !== undefined && to !== undefined)
      return await makeAgain({ series: again, from: secondsOf(from), to: secondsOf(to) }, deps);
    if (retracted !== undefined && reason?.trim()) {
      const span = spanOf(retracted, options);
      if (span) return await retractSpan(span, reason.trim(), deps);
    }
    return undefined;
  } catch (error) {
    if (!(error instanceof RepairError)) throw error;
    deps.printError(error.message);
    return 1;
  }
}

async function makeAgain(span: Span, { market, print }: RepairCommandDeps): Promise<number> {
  for (const { series, count } of await recompute(market, span))
    print(`${series}  ${count} ${series === "totals" ? "days" : "hours"}`);
  return 0;
}

async function retractSpan(
  span: Span,
  reason: string,
  { market, actor, print }: RepairCommandDeps,
): Promise<number> {
  const before = await retract(market, { ...span, reason, actor });
  print(`Retracted from ${span.series}, ${dateOf(span.from)} to ${dateOf(span.to)}:`);
  for (const row of before) print(`  ${JSON.stringify(row)}`);
  return 0;
}

/** `--at` is one second, `--from` and `--to` a span; a date of a volume is its day. */
function spanOf(series: string, { at, from, to }: RepairOptions): Span | undefined {
  if (at !== undefined) {
    const second = secondsOf(at);
    return { series, from: second, to: second + (series.startsWith("volume/") ? 86_400 : 1) };
  }
  return from === undefined || to === undefined
    ? undefined
    : { series, from: secondsOf(from), to: secondsOf(to) };
}

/** @throws RepairError for what is no time */
function secondsOf(text: string): number {
  const ms = /^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9:.]+Z)?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms))
    throw new RepairError(`${text} is not a time: use 2026-11-20 or 2026-11-20T15:00:00Z, UTC`);
  return Math.floor(ms / 1_000);
}

const dateOf = (seconds: number) => new Date(seconds * 1_000).toISOString().replace(".000Z", "Z");
