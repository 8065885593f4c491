/** `assay collect recompute` and `retract`: fix past mistakes by hand. */

import { userInfo } from "node:os";
import { type RepairDeps, recompute, retract, type Span } from "../../market/collect/repair.ts";
import { argument, command, required, text } from "../command.ts";
import type { World } from "../console.ts";
import { EXIT, UsageError } from "../errors.ts";
import { isoTime, time } from "../typed.ts";
import { MARKET_NOTES, withMarket } from "./market.ts";

const SPAN = {
  from: text("TIME", "2026-11-20 or 2026-11-20T15:00:00Z, UTC", time),
  to: text("TIME", "the same; not included", time),
};

export const recomputeSeries = command({
  summary: "Compute hours again from the raw samples that are kept",
  positionals: {
    series: argument(
      "premium/<asset key>, basis/<venue>/<ticker>, all of premium or basis; totals: days from their volumes",
    ),
  },
  options: { from: required(SPAN.from), to: required(SPAN.to) },
  notes: MARKET_NOTES,
  run: (span, world) => withMarket(world, ({ market }) => makeAgain(span, market, world)),
});

export const retractSamples = command({
  summary: "Discard a wrong sample, or whole hours; what was computed from them is computed again",
  positionals: {
    series: argument(
      "premium/<asset key>, basis/<venue>/<ticker>, impact/<asset key>, or volume/<asset key> by days",
    ),
  },
  options: {
    at: text("TIME", "one sample, in place of --from and --to", time),
    ...SPAN,
    reason: required(text("TEXT", "kept with the retraction")),
  },
  notes: MARKET_NOTES,
  run: ({ series, reason, at, from, to }, world) => {
    const span = spanOf(series, at, from, to);
    if (span === undefined || reason.trim() === "")
      throw new UsageError("retract needs --at, or --from and --to, and --reason");
    return withMarket(world, ({ market }) => retractSpan(span, reason.trim(), market, world));
  },
});

async function makeAgain(span: Span, market: RepairDeps, { out }: World): Promise<number> {
  const rows = await recompute(market, span);
  for (const { series, count } of rows) out(`${series}  ${count} ${series === "totals" ? "days" : "hours"}`);
  return EXIT.ok;
}

async function retractSpan(span: Span, reason: string, market: RepairDeps, { out }: World): Promise<number> {
  const { username: actor } = userInfo();
  const before = await retract(market, { ...span, reason, actor });
  out(`Retracted from ${span.series}, ${isoTime(span.from)} to ${isoTime(span.to)}:`);
  for (const row of before) out(`  ${JSON.stringify(row)}`);
  return EXIT.ok;
}

/** `--at` is one second, `--from` and `--to` a span; a date of a volume is its day. */
function spanOf(
  series: string,
  at: number | undefined,
  from: number | undefined,
  to: number | undefined,
): Span | undefined {
  if (at !== undefined) return { series, from: at, to: at + (series.startsWith("volume/") ? 86_400 : 1) };
  return from === undefined || to === undefined ? undefined : { series, from, to };
}
