/**
 * Facts that public providers state, in the form of the evidence. A provider that does not answer states
 * nothing: the report then lacks its reading, and the checks that need it deny.
 */
import { lastCloseAt } from "../../attestor/calendar.ts";
import type { ReferencePrice } from "../../attestor/evidence.ts";
import type { ProviderFeed } from "../../chain/deployment.ts";
import type { OffchainSources } from "../../chain/facts/offchain.ts";
import { createFinnhub, type FinnhubQuote } from "../providers/finnhub.ts";
import type { ProviderDeps } from "../providers/http.ts";
import { createPythHermes, type PythHermes } from "../providers/pythHermes.ts";
import { timedMemo } from "./timedMemo.ts";
import { createTokenFacts } from "./tokenFacts.ts";

/** A reference price must be younger than a minute to be of use. */
const REFERENCE_TTL_MS = 3_000;
/** A judgement waits no longer than this for one provider. */
const TIMEOUT_MS = 4_000;

export interface OffchainDeps {
  readonly keys: {
    readonly pythHermes?: string;
    /** Without one Finnhub is not asked. */
    readonly finnhub?: string;
    /** Key and secret with a colon between; without them Binance's list is not asked. */
    readonly binanceRwa?: string;
  };
  /** Other places to find the providers at. */
  readonly baseUrls: {
    readonly pythHermes?: string;
    readonly finnhub?: string;
    readonly xstocks?: string;
    readonly binanceRwa?: string;
  };
  readonly fetch: typeof fetch;
  /** Unix milliseconds. */
  now(): number;
  readonly log: { warn(fields: object, message: string): void };
}

export function createOffchainSources({ keys, baseUrls, ...deps }: OffchainDeps): OffchainSources {
  const at = (baseUrl: string | undefined): ProviderDeps => ({
    fetch: deps.fetch,
    timeoutMs: TIMEOUT_MS,
    ...(baseUrl === undefined ? {} : { baseUrl }),
  });
  const now = () => deps.now();
  const pyth = createPythHermes({
    ...at(baseUrls.pythHermes),
    ...(keys.pythHermes ? { apiKey: keys.pythHermes } : {}),
  });
  const finnhub = keys.finnhub ? createFinnhub({ ...at(baseUrls.finnhub), apiKey: keys.finnhub }) : null;
  const prices = timedMemo<Row | null>(REFERENCE_TTL_MS, now);
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

  async function readFeed(feed: ProviderFeed): Promise<ReferencePrice | null> {
    if (feed.provider === "pyth-hermes") {
      const question = { id: feed.feedId, symbol: feed.symbol };
      const row = await prices(feed.feedId, async () => (await pyth.latest([question])).rows[0] ?? null);
      // One source, whether it is read from its service or from its contract.
      return row && evidenceOf(row, "live", row.price, row.publishedAt);
    }
    const quote = await quotes(feed.symbol, async () => (await finnhub?.quote(feed.symbol)) ?? null);
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
      return readings.filter((reading) => reading !== null);
    },

    token: createTokenFacts({
      xstocks: at(baseUrls.xstocks),
      binanceRwa: keys.binanceRwa ? { ...at(baseUrls.binanceRwa), apiKey: keys.binanceRwa } : null,
      now,
      quietly,
    }),
  };
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

type Row = Awaited<ReturnType<PythHermes["latest"]>>["rows"][number];

/** Null for a price without a time: its age could not be judged. */
function evidenceOf(
  row: Row,
  kind: "live" | "close",
  price: string,
  publishedAt: number | null,
): ReferencePrice | null {
  if (publishedAt === null) return null;
  const { provider, source, symbol, confidence, receivedAt, rawHash } = row;
  return { provider, source, kind, symbol, price, confidence, publishedAt, receivedAt, rawHash };
}
