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
import type { ProviderPriceSource } from "../../attestor/sources.ts";
import type { UnixSeconds } from "../../attestor/values/time.ts";
import { type Lack, type OffchainSources, pricesOf } from "../../chain/facts/offchain.ts";
import { BINANCE_RWA } from "../providers/binanceRwa.ts";
import { CHAINLINK_STREAMS } from "../providers/chainlinkStreams.ts";
import { type FaultCode, ProviderFault } from "../providers/fault.ts";
import { FINNHUB } from "../providers/finnhub.ts";
import { createLimits } from "../providers/limits.ts";
import type { Provider } from "../providers/provider.ts";
import { type AskingDeps, depsOf, type ProviderName } from "../providers/providers.ts";
import { PYTH, type PythPrice } from "../providers/pyth.ts";
import { timedMemo } from "../providers/timedMemo.ts";
import { XSTOCKS } from "../providers/xstocks.ts";
import type { PreviousClose, SignedReport, StockPrice } from "../statement.ts";
import { askedTogether } from "./askedTogether.ts";
import { createTokenFacts, type Quietly } from "./tokenFacts.ts";

/** A reference price must be younger than a minute to be of use. */
const REFERENCE_TTL_MS = 3_000;
/** A judgement waits no longer than this for one provider. */
const TIMEOUT_MS = 4_000;

/** Without their keys Pyth, Chainlink Data Streams, Finnhub and Binance's list are not asked. */
export interface OffchainDeps extends AskingDeps {
  /** The chain whose trades are judged. */
  readonly chainId: number;
  /** Where the prices come from, instead of the provider's own name for it: `simulated` in the local world. */
  readonly source?: string;
  /** The signers of prices; by default those that this program knows. */
  readonly publisherKeys?: PublisherKeys;
  readonly log: { warn(fields: object, message: string): void };
}

type Connect = <Api>(one: Provider<ProviderName, Api>) => Api | null;

export function createOffchainSources(deps: OffchainDeps): OffchainSources {
  const { keys = {}, baseUrls = {}, log } = deps;
  const asking = { ...deps, limits: deps.limits ?? createLimits() };
  const connected = <Api>({ name, connect }: Provider<ProviderName, Api>): Api =>
    connect({ ...depsOf(asking, name), timeoutMs: TIMEOUT_MS, lane: "jobs" });
  // The local world's Hermes, and one behind a proxy, take no key.
  const keyed: Connect = (one) =>
    keys[one.name] || (one.name === PYTH.name && baseUrls[one.name]) ? connected(one) : null;
  const readSource = sourceReader(deps, keyed);

  /** The answer, or why there is none, with a line in the log. */
  const quietly: Quietly = async (what, ask) => {
    try {
      return { value: await ask(), lack: NO_ANSWER };
    } catch (error) {
      log.warn({ err: error }, `${what} is not known at the moment`);
      const { code, rawHash = null } = error instanceof ProviderFault ? error : {};
      const isRead = code !== undefined && UNUSABLE.includes(code);
      return { value: null, lack: { reason: isRead ? "unusable" : "unreachable", rawHash } };
    }
  };

  return {
    async prices(sources, now) {
      const answers = sources.map(async (source) => {
        const what = `the price of ${source.symbol} by ${source.provider}`;
        const { value, lack } = await quietly(what, () => readSource(source));
        const answer = value ?? lack;
        return {
          source,
          answer: "reason" in answer ? answer : { ...answer, source: deps.source ?? answer.source },
        };
      });
      return pricesOf(await Promise.all(answers), now);
    },

    token: createTokenFacts({
      xstocks: connected(XSTOCKS),
      binanceRwa: keyed(BINANCE_RWA),
      // The local chain has the place of BNB chain.
      chain: chainOf(deps.chainId) ?? "bnb",
      now: () => deps.now(),
      quietly,
    }),
  };
}

/** What was stated, received then by the clock of the judgement. */
interface Received<S> {
  readonly stated: S;
  readonly receivedAt: UnixSeconds;
}

/** A quote is a price, and the close before it. */
interface Quote {
  readonly price: StockPrice;
  readonly close: PreviousClose | undefined;
}

/** Asks a source for its price, once for many that ask at about the same time. @param keyed null for one without its key */
function sourceReader(deps: OffchainDeps, keyed: Connect) {
  const pyth = keyed(PYTH);
  const streams = keyed(CHAINLINK_STREAMS);
  const finnhub = keyed(FINNHUB);
  const now = () => deps.now();
  const seconds = () => Math.floor(deps.now() / 1_000);
  const latest = pyth && askedTogether(pyth);
  const prices = timedMemo<Received<PythPrice> | null>(REFERENCE_TTL_MS, now);
  const reports = timedMemo<Received<SignedReport> | null>(REFERENCE_TTL_MS, now);
  const quotes = timedMemo<Received<Quote> | null>(REFERENCE_TTL_MS, now);
  const received = <S>(stated: S | null): Received<S> | null =>
    stated === null ? null : { stated, receivedAt: seconds() };

  async function readPyth(feed: Extract<ProviderPriceSource, { provider: "pyth-hermes" }>) {
    if (latest === null) return NOT_CONFIGURED;
    const row = await prices(feed.feedId, async () =>
      received(await latest({ id: feed.feedId, symbol: feed.symbol })),
    );
    if (row === null) return NO_ANSWER;
    // One source, whether it is read from its service or from its contract.
    const stated = evidenceOf(row, "live", row.stated);
    if ("reason" in stated) return stated;
    const { proof } = row.stated;
    return { ...stated, ...(proof && signedPart(deps, feed, proof)) };
  }

  async function quoteOf(symbol: string): Promise<Quote | null> {
    const { statements = [] } = (await finnhub?.quote(symbol)) ?? {};
    const price = statements.find((one) => one.of === "reference");
    const close = statements.find((one) => one.of === "close");
    return price === undefined ? null : { price, close };
  }

  return async (source: ProviderPriceSource): Promise<ReferencePrice | Lack> => {
    if (source.provider === "pyth-hermes") return await readPyth(source);
    if (source.provider === "chainlink-streams") {
      if (streams === null) return NOT_CONFIGURED;
      const report = await reports(source.feedId, async () => received(await streams.latest(source.feedId)));
      return report === null ? NO_ANSWER : reportedPrice(deps, source, report);
    }
    if (finnhub === null) return NOT_CONFIGURED;
    const quote = await quotes(source.symbol, async () => received(await quoteOf(source.symbol)));
    if (quote === null) return NO_ANSWER;
    return source.kind === "close"
      ? closeOf(quote, seconds())
      : evidenceOf(quote, "live", quote.stated.price);
  };
}

/** Faults of which something arrived. */
const UNUSABLE: readonly FaultCode[] = ["shape", "not_json", "too_large"];
const NO_ANSWER: Lack = { reason: "no-answer", rawHash: null };
const NOT_CONFIGURED: Lack = { reason: "not-configured", rawHash: null };

type SignedDeps = Pick<OffchainDeps, "publisherKeys" | "chainId" | "log">;

/** The price as it was signed, and by whom; null, with a line in the log, where the signatures do not hold here. */
function signedPart(
  { publisherKeys, chainId, log }: SignedDeps,
  { symbol }: ProviderPriceSource,
  proof: PriceProof,
): Pick<ReferencePrice, "price" | "confidence" | "publishedAt" | "proof" | "signer"> | null {
  const check = checkPriceProof(proof, publisherKeys ?? KNOWN_KEYS, chainId);
  if (check.outcome === "signed") {
    const { price, confidence, publishedAt, session, signedAt } = check.price;
    return { price, confidence, publishedAt, proof, signer: { set: check.by, session, signedAt } };
  }
  log.warn({ reason: check.reason }, `the signatures of ${symbol} cannot be shown to anyone`);
  return null;
}

/** A report that does not verify here states nothing: nobody else states its price. */
function reportedPrice(
  deps: SignedDeps,
  feed: ProviderPriceSource,
  { stated: report, receivedAt }: Received<SignedReport>,
): ReferencePrice | Lack {
  const { figure: data, rawHash } = report;
  const signed = signedPart(deps, feed, { format: CHAINLINK.format, data });
  const { symbol } = feed;
  const stated = { provider: CHAINLINK.provider, source: "data-streams", kind: "live", symbol } as const;
  return signed === null || rawHash === null
    ? { reason: "unusable", rawHash }
    : { ...stated, ...signed, receivedAt, rawHash, onChain: null };
}

/** A quote this near to the close is the close itself: it is stamped with the last trade. */
const CLOSING_SECONDS = 15 * 60;

/** The last official close: the quote itself while the market is closed, the close before it while it trades. */
function closeOf(quote: Received<Quote>, now: UnixSeconds): ReferencePrice | Lack {
  const { price, close: before } = quote.stated;
  const close = lastCloseAt(now);
  const unknown: Lack = { reason: "no-answer", rawHash: price.rawHash };
  if (price.at === null) return unknown;
  if (Math.abs(price.at - close) <= CLOSING_SECONDS)
    return evidenceOf(quote, "close", { ...price, at: close });
  if (price.at < close || before === undefined) return unknown;
  return evidenceOf(quote, "close", { ...before, at: close });
}

/** What evidence calls a provider's figure. */
const FIGURES: Readonly<Record<string, string>> = { [PYTH.name]: "hermes", [FINNHUB.name]: "quote" };

/** A price without a time is of no use: its age could not be judged. */
function evidenceOf(
  { receivedAt }: Pick<Received<unknown>, "receivedAt">,
  kind: "live" | "close",
  price: StockPrice | PreviousClose,
): ReferencePrice | Lack {
  const { source: provider, subject: symbol, figure, at: publishedAt, rawHash } = price;
  if (publishedAt === null || rawHash === null) return { reason: "unusable", rawHash };
  return {
    provider,
    source: FIGURES[provider] ?? provider,
    kind,
    symbol,
    price: figure,
    confidence: price.of === "reference" ? price.confidence : null,
    publishedAt,
    receivedAt,
    rawHash,
    onChain: null,
    proof: null,
    signer: null,
  };
}
