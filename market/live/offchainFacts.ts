/**
 * Facts that public providers state, in the form of the evidence. A provider that does not answer states
 * nothing: the report then lacks its reading, and the checks that need it deny.
 */
import { lastCloseAt } from "../../attestor/calendar.ts";
import { chainOf } from "../../attestor/chains.ts";
import type { PriceProof, ReferencePrice } from "../../attestor/evidence/facts.ts";
import { CHAINLINK } from "../../attestor/publishers/chainlink/chainlink.ts";
import { KNOWN_KEYS, type PublisherKeys } from "../../attestor/publishers/publisherKeys.ts";
import { checkPriceProof } from "../../attestor/publishers/publishers.ts";
import type { UnixMs } from "../../attestor/values/time.ts";
import type { ProviderFeed } from "../../chain/deployment.ts";
import type { OffchainSources } from "../../chain/facts/offchain.ts";
import { BINANCE_RWA } from "../providers/binanceRwa.ts";
import type { Budgets } from "../providers/budgets.ts";
import { CHAINLINK_STREAMS, type StreamReport } from "../providers/chainlinkStreams.ts";
import { FINNHUB, type FinnhubQuote } from "../providers/finnhub.ts";
import type { ProviderDeps } from "../providers/http.ts";
import type { Provider } from "../providers/provider.ts";
import type { BaseUrls, Keys, ProviderName } from "../providers/providers.ts";
import { PYTH, type PythPrice } from "../providers/pyth.ts";
import type { ReferencePrice as ProviderPrice } from "../providers/records.ts";
import { XSTOCKS } from "../providers/xstocks.ts";
import { askedTogether } from "./askedTogether.ts";
import { timedMemo } from "./timedMemo.ts";
import { createTokenFacts } from "./tokenFacts.ts";

/** A reference price must be younger than a minute to be of use. */
const REFERENCE_TTL_MS = 3_000;
/** A judgement waits no longer than this for one provider. */
const TIMEOUT_MS = 4_000;

export interface OffchainDeps {
  /** Without theirs Pyth, Chainlink Data Streams, Finnhub and Binance's list are not asked. */
  readonly keys: Keys;
  /** Other places to find the providers at. */
  readonly baseUrls: BaseUrls;
  /** The chain whose trades are judged. */
  readonly chainId: number;
  /** Where the prices come from, instead of the provider's own name for it: `simulated` in the local world. */
  readonly source?: string;
  /** Who signs prices; those that this program knows where left out. */
  readonly publisherKeys?: PublisherKeys;
  readonly fetch: typeof fetch;
  /** What this process's collectors, and other processes, ask the same providers by. */
  readonly budgets?: Budgets;
  readonly watch?: ProviderDeps["watch"];
  /** Takes the providers' raw answers; without it nobody keeps them. */
  readonly keepRaw?: (raw: Uint8Array) => void;
  now(): UnixMs;
  readonly log: { warn(fields: object, message: string): void };
}

const connecting =
  ({ keys, baseUrls, ...deps }: OffchainDeps) =>
  <Api>({ name, connect }: Provider<ProviderName, Api>): Api =>
    connect({
      fetch: deps.fetch,
      timeoutMs: TIMEOUT_MS,
      use: "job",
      ...(deps.budgets === undefined ? {} : { budgets: deps.budgets }),
      ...(deps.keepRaw === undefined ? {} : { onAnswer: deps.keepRaw }),
      ...(deps.watch === undefined ? {} : { watch: deps.watch }),
      ...(baseUrls[name] === undefined ? {} : { baseUrl: baseUrls[name] }),
      ...(keys[name] === undefined ? {} : { apiKey: keys[name] }),
    });

export function createOffchainSources(deps: OffchainDeps): OffchainSources {
  const { keys, baseUrls } = deps;
  const connected = connecting(deps);
  const keyed = <Api>(one: Provider<ProviderName, Api>) => (keys[one.name] ? connected(one) : null);
  const now = () => deps.now();
  // The local world's Hermes, and one behind a proxy, take no key.
  const pyth = baseUrls[PYTH.name] ? connected(PYTH) : keyed(PYTH);
  const streams = keyed(CHAINLINK_STREAMS);
  const finnhub = keyed(FINNHUB);
  const prices = timedMemo<PythPrice | null>(REFERENCE_TTL_MS, now);
  const latest = pyth && askedTogether(pyth);
  const reports = timedMemo<StreamReport | null>(REFERENCE_TTL_MS, now);
  const quotes = timedMemo<FinnhubQuote | null>(REFERENCE_TTL_MS, now);

  /** The answer, or null with a line in the log. */
  const quietly = async <T>(what: string, ask: () => Promise<T | null>): Promise<T | null> => {
    try {
      return await ask();
    } catch (error) {
      deps.log.warn({ err: error }, `${what} is not known at the moment`);
      return null;
    }
  };

  /** As received now, by the clock that the judgement goes by. */
  const stamped = <T extends Pick<ProviderPrice, "receivedAt">>(row: T | null | undefined): T | null =>
    row ? { ...row, receivedAt: Math.floor(deps.now() / 1000) } : null;

  async function readFeed(feed: ProviderFeed): Promise<ReferencePrice | null> {
    if (feed.provider === "pyth-hermes") {
      const row = await prices(feed.feedId, async () =>
        stamped(await latest?.({ id: feed.feedId, symbol: feed.symbol })),
      );
      // One source, whether it is read from its service or from its contract.
      const stated = row && evidenceOf(row, "live", row.price, row.publishedAt);
      return stated && { ...stated, ...(row.proof && signedPart(deps, feed, row.proof)) };
    }
    if (feed.provider === "chainlink-streams") {
      const report = await reports(feed.feedId, async () => stamped(await streams?.latest(feed.feedId)));
      return report && reportedPrice(deps, feed, report);
    }
    const quote = await quotes(feed.symbol, async () => stamped(await finnhub?.quote(feed.symbol)));
    if (quote === null) return null;
    return feed.kind === "close"
      ? closeOf(quote, Math.floor(deps.now() / 1000))
      : evidenceOf(quote, "live", quote.price, quote.publishedAt);
  }

  return {
    async references(feeds) {
      const readings = await Promise.all(
        feeds.map((feed) => quietly(`the price of ${feed.symbol} by ${feed.provider}`, () => readFeed(feed))),
      );
      return readings
        .filter((reading) => reading !== null)
        .map((reading) => ({ ...reading, source: deps.source ?? reading.source }));
    },

    token: createTokenFacts({
      xstocks: connected(XSTOCKS),
      binanceRwa: keyed(BINANCE_RWA),
      // The local chain has the place of BNB chain.
      chain: chainOf(deps.chainId) ?? "bnb",
      now,
      quietly,
    }),
  };
}

type SignedDeps = Pick<OffchainDeps, "publisherKeys" | "chainId" | "log">;

/** The price as it was signed; null, with a line in the log, where the signatures do not hold here. */
function signedPart(
  { publisherKeys, chainId, log }: SignedDeps,
  { symbol }: ProviderFeed,
  proof: PriceProof,
): Pick<ReferencePrice, "price" | "confidence" | "publishedAt" | "proof"> | null {
  const check = checkPriceProof(proof, publisherKeys ?? KNOWN_KEYS, chainId);
  if (check.outcome === "signed") {
    const { price, confidence, publishedAt } = check.price;
    return { price, confidence, publishedAt, proof };
  }
  log.warn({ reason: check.reason }, `the signatures of ${symbol} cannot be shown to anyone`);
  return null;
}

/** Null where the report does not verify here: nothing else states its price. */
function reportedPrice(
  deps: SignedDeps,
  feed: ProviderFeed,
  { fullReport, receivedAt, rawHash }: StreamReport,
): ReferencePrice | null {
  const signed = signedPart(deps, feed, { format: CHAINLINK.format, data: fullReport });
  const { symbol } = feed;
  const stated = { provider: CHAINLINK.provider, source: "data-streams", kind: "live", symbol } as const;
  return signed && { ...stated, ...signed, receivedAt, rawHash, onChain: null };
}

/** A quote this near to the close is the close itself: it is stamped with the last trade. */
const CLOSING_SECONDS = 15 * 60;

/** The last official close: the quote itself while the market is closed, the close before it while it trades. */
function closeOf(quote: FinnhubQuote, now: number): ReferencePrice | null {
  const close = lastCloseAt(now);
  if (quote.publishedAt === null) return null;
  if (Math.abs(quote.publishedAt - close) <= CLOSING_SECONDS)
    return evidenceOf(quote, "close", quote.price, close);
  if (quote.publishedAt < close || quote.previousClose === null) return null;
  return evidenceOf(quote, "close", quote.previousClose, close);
}

/** Null for a price without a time: its age could not be judged. */
function evidenceOf(
  row: ProviderPrice,
  kind: "live" | "close",
  price: string,
  publishedAt: number | null,
): ReferencePrice | null {
  if (publishedAt === null) return null;
  const { provider, source, symbol, confidence, receivedAt, rawHash } = row;
  const reading = { provider, source, kind, symbol, price, confidence, publishedAt, receivedAt, rawHash };
  return { ...reading, onChain: null, proof: null };
}
