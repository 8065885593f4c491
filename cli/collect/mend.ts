/** Mistakes of the past, mended by hand: `--recompute`, `--strike` and `--strikes`. */
import { type MendDeps, MendError, recompute, type Span, strike } from "../../market/collect/mend.ts";
import { strikeHistory } from "../../market/series/strikes.ts";

export interface MendCommandDeps {
  readonly market: MendDeps;
  /** Who does it, for the history. */
  readonly actor: string;
  print(line: string): void;
  printError(line: string): void;
}

type Typed = Readonly<Partial<Record<"recompute" | "strike" | "from" | "to" | "at" | "reason", string>>>;
export type MendOptions = Typed & { readonly strikes?: boolean };

/** @returns the exit code; undefined where the options ask for nothing of this */
export async function runMend(options: MendOptions, deps: MendCommandDeps): Promise<number | undefined> {
  const { recompute: again, strike: struck, strikes, from, to, reason } = options;
  try {
    if (strikes) return await listStrikes(deps);
    if (again !== undefined && from !== undefined && to !== undefined)
      return await makeAgain({ series: again, from: secondsOf(from), to: secondsOf(to) }, deps);
    if (struck !== undefined && reason?.trim()) {
      const span = spanOf(struck, options);
      if (span) return await strikeOut(span, reason.trim(), deps);
    }
    return undefined;
  } catch (error) {
    if (!(error instanceof MendError)) throw error;
    deps.printError(error.message);
    return 1;
  }
}

async function makeAgain(span: Span, { market, print }: MendCommandDeps): Promise<number> {
  for (const { series, count } of await recompute(market, span))
    print(`${series}  ${count} ${series === "totals" ? "days" : "hours"}`);
  return 0;
}

async function strikeOut(
  span: Span,
  reason: string,
  { market, actor, print }: MendCommandDeps,
): Promise<number> {
  const before = await strike(market, { ...span, reason, actor });
  print(`Struck from ${span.series}, ${dateOf(span.from)} to ${dateOf(span.to)}:`);
  for (const row of before) print(`  ${JSON.stringify(row)}`);
  return 0;
}

async function listStrikes({ market, print }: MendCommandDeps): Promise<number> {
  for (const { struckAt, actor, series, from, to, reason } of await strikeHistory(market.db))
    print([dateOf(struckAt), actor, series, `${dateOf(from)} to ${dateOf(to)}`, reason].join("  "));
  return 0;
}

/** `--at` is one second, `--from` and `--to` a span; a date of a volume is its day. */
function spanOf(series: string, { at, from, to }: MendOptions): Span | undefined {
  if (at !== undefined) {
    const second = secondsOf(at);
    return { series, from: second, to: second + (series.startsWith("volume/") ? 86_400 : 1) };
  }
  return from === undefined || to === undefined
    ? undefined
    : { series, from: secondsOf(from), to: secondsOf(to) };
}

/** @throws MendError for what is no time */
function secondsOf(text: string): number {
  const ms = /^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9:.]+Z)?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms))
    throw new MendError(`${text} is not a time: use 2026-11-20 or 2026-11-20T15:00:00Z, UTC`);
  return Math.floor(ms / 1_000);
}

const dateOf = (seconds: number) => new Date(seconds * 1_000).toISOString().replace(".000Z", "Z");
