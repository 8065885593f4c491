/** What providers say of a stock token, in the form of the evidence: their word counts where the chain says nothing. */
import type { Chain } from "../../attestor/chains.ts";
import type { TokenFacts } from "../../attestor/evidence/facts.ts";
import { factorAt } from "../../attestor/shares.ts";
import { EvidenceDecimal } from "../../attestor/values/decimal.ts";
import type { UnixMs, UnixSeconds } from "../../attestor/values/time.ts";
import type { Lack, OffchainSources } from "../../chain/facts/offchain.ts";
import { NOTHING_KNOWN } from "../../chain/facts/token.ts";
import { type BinanceRwa, TRADING } from "../providers/binanceRwa.ts";
import { timedMemo } from "../providers/timedMemo.ts";
import type { XStocks } from "../providers/xstocks.ts";
import type { Answer, ListingState, ShareRatio, Statement } from "../statement.ts";

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

/** What a provider states of a token, received then by the clock of the judgement: the machine's may differ. */
interface Stated {
  readonly ratio?: Hashed<ShareRatio>;
  readonly listing?: Hashed<ListingState>;
  readonly receivedAt: UnixSeconds;
}

/** Of an answer that evidence can name. */
type Hashed<S> = S & { readonly rawHash: string };
const isHashed = <S extends Statement>(one: S): one is Hashed<S> => one.rawHash !== null;

/** Asks xStocks' API and Binance's list, each once for many. Never throws: what is not known is null or missing. */
export function createTokenFacts(deps: TokenFactsDeps): OffchainSources["token"] {
  const { quietly, now, xstocks, binanceRwa: binance, chain } = deps;
  const lists = timedMemo<ReadonlyMap<string, Stated>>(TTL_MS, now);
  const multipliers = timedMemo<ReadonlyMap<string, Stated>>(TTL_MS, now);

  /** By subject. */
  const received = ({ statements }: Answer): ReadonlyMap<string, Stated> => {
    const receivedAt = Math.floor(now() / 1_000);
    const stated = new Map<string, Stated>();
    for (const one of statements.filter(isHashed)) {
      const merged = stated.get(one.subject) ?? { receivedAt };
      if (one.of === "ratio") stated.set(one.subject, { ...merged, ratio: one });
      if (one.of === "listing") stated.set(one.subject, { ...merged, listing: one });
    }
    return stated;
  };

  return async (source, address, at) => {
    if (source.source === "binance-rwa") {
      if (binance === null)
        return { facts: NOTHING_KNOWN, lack: { reason: "not-configured", rawHash: null } };
      const { value, lack } = await quietly("Binance's list of tokenized stocks", () =>
        lists("binance", async () => received(await binance.shareRatios())),
      );
      const stated = value?.get(address);
      return { facts: stated === undefined ? NOTHING_KNOWN : listedFacts(stated), lack };
    }
    const { symbol } = source;
    const [assets, schedule] = await Promise.all([
      quietly("the list of halts", () => lists("xstocks", async () => received(await xstocks.assets(chain)))),
      quietly(`the multiplier of ${symbol}`, async () => {
        const bySymbol = await multipliers(symbol, async () =>
          received(await xstocks.multiplier(symbol, chain)),
        );
        return bySymbol.get(symbol) ?? null;
      }),
    ]);
    const facts = {
      ...(schedule.value === null ? NOTHING_KNOWN : scheduledFacts(schedule.value, at)),
      halts: haltsOf("xstocks", assets.value?.get(symbol), ({ isHalted }) => isHalted),
    };
    return { facts, lack: (schedule.value === null ? schedule : assets).lack };
  };
}

/** A provider's word, at no block. */
const wordOf = (provider: string, receivedAt: UnixSeconds, rawHash: string) => ({
  provider,
  source: "http",
  blockNumber: null,
  address: null,
  receivedAt,
  rawHash,
});

const factorText = (text: string) => new EvidenceDecimal(text).toDecimalPlaces(FACTOR_PLACES).toFixed();

/** Of a halt the schedule says nothing. */
function scheduledFacts({ ratio, receivedAt }: Stated, at: UnixSeconds): TokenFacts {
  if (ratio === undefined) return NOTHING_KNOWN;
  const { figure: current, change, rawHash } = ratio;
  const stated = wordOf("xstocks", receivedAt, rawHash);
  const { next, effectiveAt } = change ?? { next: null, effectiveAt: null };
  const announced = change && {
    value: next && factorText(next),
    // A change without a time can come at any moment from now on.
    effectiveAt: effectiveAt ?? at + 1,
  };
  return {
    ...NOTHING_KNOWN,
    factor: { ...stated, value: factorText(factorAt({ current, next, effectiveAt }, at)) },
    announcement: { ...stated, change: announced },
  };
}

/** The list says nothing of what is to come. */
function listedFacts(stated: Stated): TokenFacts {
  const { ratio, receivedAt } = stated;
  const provider = "binance-rwa";
  return {
    ...NOTHING_KNOWN,
    factor: ratio
      ? { ...wordOf(provider, receivedAt, ratio.rawHash), value: factorText(ratio.figure) }
      : null,
    halts: haltsOf(provider, stated, ({ status }) => (status == null ? null : status !== TRADING)),
  };
}

/** @param haltedBy null: it does not say */
function haltsOf(
  provider: string,
  stated: Stated | undefined,
  haltedBy: (listing: ListingState) => boolean | null,
): TokenFacts["halts"] {
  const halted = stated?.listing ? haltedBy(stated.listing) : null;
  if (stated?.listing === undefined || halted === null) return [];
  return [{ ...wordOf(provider, stated.receivedAt, stated.listing.rawHash), halted }];
}
