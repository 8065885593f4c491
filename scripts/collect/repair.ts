/** `assay collect recompute` and `retract`: fix past mistakes by hand. */

import { userInfo } from "node:os";
import { type RepairDeps, RepairError, recompute, retract, type Span } from "../../market/collect/repair.ts";
import { command, text } from "../command.ts";
import type { World } from "../console.ts";
import { CommandError, EXIT, UsageError } from "../errors.ts";
import { isoTime, secondsFrom } from "../typed.ts";
import { MARKET_NOTES, withMarket } from "./market.ts";

const SPAN = {
  from: text("TIME", "2026-11-20 or 2026-11-20T15:00:00Z, UTC"),
  to: text("TIME", "the same; not included"),
};

export const recomputeSeries = command({
  summary: "Compute hours again from the raw samples that are kept",
  positionals: {
    series: {
      words:
        "premium/<asset key>, basis/<venue>/<ticker>, all of premium or basis; totals: days from their volumes",
    },
  },
  options: SPAN,
  notes: MARKET_NOTES,
  run: ({ series, from, to }, world) => {
    if (from === undefined || to === undefined) throw new UsageError("recompute needs --from and --to");
    return withMarket(world, ({ market }) =>
      makeAgain({ series, from: secondsFrom(from), to: secondsFrom(to) }, market, world),
    );
  },
});

export const retractSamples = command({
  summary: "Discard a wrong sample, or whole hours; what was computed from them is computed again",
  positionals: {
    series: {
      words: "premium/<asset key>, basis/<venue>/<ticker>, impact/<asset key>, or volume/<asset key> by days",
    },
  },
  options: {
    at: text("TIME", "one sample, in place of --from and --to"),
    ...SPAN,
    reason: text("TEXT", "kept with the retraction; required"),
  },
  notes: MARKET_NOTES,
  run: ({ series, reason, ...given }, world) => {
    const span = spanOf(series, given);
    if (span === undefined || !reason?.trim())
      throw new UsageError("retract needs --at, or --from and --to, and --reason");
    return withMarket(world, ({ market }) => retractSpan(span, reason.trim(), market, world));
  },
});

async function makeAgain(span: Span, market: RepairDeps, { out }: World): Promise<number> {
  const rows = await inTheirWords(() => recompute(market, span));
  for (const { series, count } of rows) out(`${series}  ${count} ${series === "totals" ? "days" : "hours"}`);
  return EXIT.ok;
}

async function retractSpan(span: Span, reason: string, market: RepairDeps, { out }: World): Promise<number> {
  const { username: actor } = userInfo();
  const before = await inTheirWords(() => retract(market, { ...span, reason, actor }));
  out(`Retracted from ${span.series}, ${isoTime(span.from)} to ${isoTime(span.to)}:`);
  for (const row of before) out(`  ${JSON.stringify(row)}`);
  return EXIT.ok;
}

/** @throws CommandError `refused` */
async function inTheirWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RepairError) throw new CommandError("refused", error.message);
    throw error;
  }
}

interface SpanGiven {
  readonly at?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** `--at` is one second, `--from` and `--to` a span; a date of a volume is its day. */
function spanOf(series: string, { at, from, to }: SpanGiven): Span | undefined {
  if (at !== undefined) {
    const second = secondsFrom(at);
    return { series, from: second, to: second + (series.startsWith("volume/") ? 86_400 : 1) };
  }
  return from === undefined || to === undefined
    ? undefined
    : { series, from: secondsFrom(from), to: secondsFrom(to) };
}
