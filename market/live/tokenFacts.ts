/** What providers say of a stock token, in the form of the evidence: their word counts where the chain says nothing. */
import type { Chain } from "../../attestor/chains.ts";
import type { TokenFacts } from "../../attestor/evidence/facts.ts";
import { factorAt } from "../../attestor/shares.ts";
import { EvidenceDecimal } from "../../attestor/values/decimal.ts";
import type { UnixMs } from "../../attestor/values/time.ts";
import type { Lack, OffchainSources } from "../../chain/facts/offchain.ts";
import { NOTHING_KNOWN } from "../../chain/facts/token.ts";
import type { BinanceRwa, ShareRatio } from "../providers/binanceRwa.ts";
import type { MultiplierSchedule, XStock, XStocks } from "../providers/xstocks.ts";
import { timedMemo } from "./timedMemo.ts";

/** Halts and factors change slowly; a change is announced long before its time. */
const TTL_MS = 30_000;
/** Places that the evidence takes. */
const FACTOR_PLACES = 18;

export interface TokenFactsDeps {
  readonly xstocks: XStocks;
  /** null: Binance's list is not asked. */
  readonly binanceRwa: BinanceRwa | null;
  readonly chain: Chain;
  now(): UnixMs;
  readonly quietly: Quietly;
}

/** The answer; null where there is none, and then why, with a line in the log where the question failed. */
export type Quietly = <T>(
  what: string,
  ask: () => Promise<T | null>,
) => Promise<{ readonly value: T | null; readonly lack: Lack }>;

/** Asks xStocks' API and Binance's list, each once for many. Never throws: what is not known is null or missing. */
export function createTokenFacts(deps: TokenFactsDeps): OffchainSources["token"] {
  const { quietly, now, xstocks, binanceRwa: binance, chain } = deps;
  const listed = timedMemo<ReadonlyMap<string, XStock>>(TTL_MS, now);
  const schedules = timedMemo<MultiplierSchedule | null>(TTL_MS, now);
  const ratios = timedMemo<ReadonlyMap<string, ShareRatio>>(TTL_MS, now);

  /** As received now, by the clock of the judgement: the machine's may differ. */
  const stamped = <T extends { readonly receivedAt: number }>(row: T): T => ({
    ...row,
    receivedAt: Math.floor(now() / 1_000),
  });
  const allXStocks = async () =>
    new Map((await xstocks.assets(chain)).rows.map((asset) => [asset.symbol, stamped(asset)]));
  const allRatios = async () =>
    binance && new Map((await binance.shareRatios()).rows.map((row) => [row.address, stamped(row)]));
  const scheduleOf = async (symbol: string) => {
    const schedule = await xstocks.multiplier(symbol, chain);
    return schedule && stamped(schedule);
  };

  return async (source, address, at) => {
    if (source.source === "binance-rwa") {
      if (binance === null)
        return { facts: NOTHING_KNOWN, lack: { reason: "not-configured", rawHash: null } };
      const { value, lack } = await quietly("Binance's list of tokenized stocks", () =>
        ratios("all", async () => (await allRatios()) ?? new Map()),
      );
      const row = value?.get(address);
      return { facts: row === undefined ? NOTHING_KNOWN : factsOfRatio(row), lack };
    }
    const [assets, schedule] = await Promise.all([
      quietly("the list of halts", () => listed("all", allXStocks)),
      quietly(`the multiplier of ${source.symbol}`, () =>
        schedules(source.symbol, () => scheduleOf(source.symbol)),
      ),
    ]);
    const asset = assets.value?.get(source.symbol);
    const facts = {
      ...(schedule.value === null ? NOTHING_KNOWN : factsOfSchedule(schedule.value, at)),
      halts: asset === undefined ? [] : [{ ...wordOf("xstocks", asset), halted: asset.isHalted }],
    };
    return { facts, lack: (schedule.value === null ? schedule : assets).lack };
  };
}

/** A provider's word, at no block. */
function wordOf(provider: string, { receivedAt, rawHash }: { receivedAt: number; rawHash: string }) {
  return { provider, source: "http", blockNumber: null, address: null, receivedAt, rawHash };
}

const factorText = (text: string) => new EvidenceDecimal(text).toDecimalPlaces(FACTOR_PLACES).toFixed();

/** Of a halt the schedule says nothing. */
function factsOfSchedule(schedule: MultiplierSchedule, at: number): TokenFacts {
  const stated = wordOf("xstocks", schedule);
  const { next, effectiveAt } = schedule;
  const change = {
    value: next && factorText(next),
    // A change without a time can come at any moment from now on.
    effectiveAt: effectiveAt ?? at + 1,
  };
  return {
    ...NOTHING_KNOWN,
    factor: { ...stated, value: factorText(factorAt(schedule, at)) },
    announcement: { ...stated, change: next === null && effectiveAt === null ? null : change },
  };
}

/** The list says nothing of what is to come. */
function factsOfRatio(row: ShareRatio): TokenFacts {
  const stated = wordOf("binance-rwa", row);
  return {
    ...NOTHING_KNOWN,
    factor: row.sharesPerToken === null ? null : { ...stated, value: factorText(row.sharesPerToken) },
    halts: row.status === null ? [] : [{ ...stated, halted: row.status !== "TRADING" }],
  };
}
