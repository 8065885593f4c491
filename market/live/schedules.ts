/** The multipliers of xStocks' API: one request a token takes minutes, so that each round asks for some, for the next one. */
import { factorAt } from "../../attestor/shares.ts";
import type { UnixMs } from "../../attestor/values/time.ts";
import type { Findings } from "../collect/sources.ts";
import { MOST_MULTIPLIERS, type MultiplierSchedule, XSTOCKS, type XStocks } from "../providers/xstocks.ts";
import type { LiveAsset } from "./assets.ts";
import { gathered } from "./findings.ts";

/** A schedule that could not be had again for so long says nothing any more: twice what all tokens take to come. */
const OLDEST_MS = 3_600_000;

export function createSchedules(tokens: readonly LiveAsset[], xstocks: XStocks, now: () => UnixMs) {
  const asked = new Map<string, UnixMs>();
  const known = new Map<string, { readonly at: UnixMs; readonly schedule: MultiplierSchedule }>();
  const lastOf = ({ symbol }: LiveAsset) => asked.get(symbol) ?? 0;
  /** Those that are known. */
  const stated = () =>
    tokens.flatMap(({ assetKey, symbol, address }) => {
      const { at, schedule } = known.get(symbol) ?? {};
      if (at === undefined || schedule === undefined || now() - at > OLDEST_MS) return [];
      return [{ assetKey, mint: address, schedule }];
    });
  return {
    stated,
    /** As they count now. */
    multipliers: () =>
      stated().map(({ mint, schedule }) => {
        return { mint, multiplier: factorAt(schedule, Math.floor(now() / 1_000)) };
      }),
    /** Asks for those that were asked for longest ago. */
    refresh(): Promise<Findings<never>> {
      const due = [...tokens].sort((one, other) => lastOf(one) - lastOf(other)).slice(0, MOST_MULTIPLIERS);
      return gathered<never>(
        due.map(({ symbol, chain }) => [
          XSTOCKS.name,
          async () => {
            asked.set(symbol, now());
            const schedule = await xstocks.multiplier(symbol, chain);
            if (schedule !== null) known.set(symbol, { at: now(), schedule });
            const sample = { provider: XSTOCKS.name };
            const missing = { kind: "shares", subject: symbol, reason: "missing", sample };
            return { rows: [], rejected: schedule === null ? [missing] : [] };
          },
        ]),
      );
    },
  };
}
