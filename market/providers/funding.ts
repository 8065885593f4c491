/** Funding rates of perpetuals, page by page. */
import type { UnixMs } from "../../attestor/values/time.ts";
import { ProviderFault } from "./fault.ts";
import type { FundingPoint } from "./records.ts";

const HOUR_SECONDS = 3_600;
const MAX_PAGES = 100;

export interface FundingRow {
  readonly market: string;
  readonly rate: string;
  readonly time: UnixMs;
}

/**
 * A market's past funding from pages that come oldest first, each starting after the last row of the one
 * before. One point an hour, oldest first, none after `to`.
 * @param from unix seconds
 * @param to unix seconds
 * @throws ProviderFault `shape` for rows of another market, and what `ask` throws
 */
export async function pagedFunding(deps: {
  readonly provider: string;
  readonly market: string;
  readonly from: number;
  readonly to: number;
  /** Rows of a full page: fewer are the last. */
  readonly pageRows: number;
  /** Times in unix milliseconds, both inclusive. */
  ask(startTime: number, endTime: number): Promise<readonly FundingRow[]>;
}): Promise<readonly FundingPoint[]> {
  const { provider, market, to, pageRows } = deps;
  const endTime = to * 1_000 + 999;
  const points = new Map<number, FundingPoint>();
  let startTime = deps.from * 1_000;
  for (let page = 0; page < MAX_PAGES && startTime <= endTime; page++) {
    const rows = await deps.ask(startTime, endTime);
    for (const row of rows) {
      if (row.market !== market) throw new ProviderFault(provider, "shape");
      const at = Math.floor(row.time / 1_000 / HOUR_SECONDS) * HOUR_SECONDS;
      if (at <= to) points.set(at, { market, at, rate: row.rate });
    }
    const last = Math.max(0, ...rows.map((row) => row.time));
    // A full page that does not get on would be asked for for ever.
    if (rows.length < pageRows || last < startTime) break;
    startTime = last + 1;
  }
  return [...points.values()].sort((one, other) => one.at - other.at);
}
