/**
 * What has to be served after a day, computed from the answers that providers gave and nothing else: plain arithmetic,
 * and no code of `market/`. It knows which answers were lies, because the day was made so.
 */
import type { UnixMs, UnixSeconds } from "../../../attestor/values/time.ts";
import type { Lies } from "./faults.ts";

/** What a provider said, as it stands. */
type Json = ReturnType<typeof JSON.parse>;

export type Figure = number | string | null;
/** By a name such as `premium bnb-xstocks-AAPL 1795186800 close`. */
export type Figures = Map<string, Figure>;

interface Answer {
  readonly provider: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly asked: string;
  readonly status: number;
  readonly body: Json;
  readonly at: UnixMs;
  readonly minute: number;
}

export interface Token {
  readonly assetKey: string;
  readonly underlying: string;
  readonly issuer: string;
  readonly chain: string;
  readonly address: string;
  readonly shares: string;
}

interface Sample {
  readonly at: number;
  readonly value: number | null;
  readonly netEdgeOrFunding: number | null;
  readonly source: string;
  readonly reference: string | null;
  readonly referenceAge: number | null;
  readonly witnesses: number | null;
}

interface Volume {
  readonly at: number;
  readonly volume: number;
  readonly liquidity: number;
}

const BPS = 10_000;
const HOUR = 3_600;
const DAY = 86_400;
const PLATFORM_FEE_BPS = 10;
const IMPACT_COUNTS = 3_600;
const DOLLARS = { solana: 1e6, bnb: 1e18 } as Record<string, number>;
const seconds = ({ at }: Answer) => Math.floor(at / 1_000);
const ok = (answer: Answer) => answer.status === 200;

/** What the day was made of. */
interface Day {
  readonly tokens: readonly Token[];
  readonly endedAt: UnixSeconds;
  readonly lies: Lies;
}

/** @param rounds the answers of each, in the order in which they came */
export function expectedOf(rounds: readonly (readonly Answer[])[], day: Day): Figures {
  const { tokens, endedAt } = day;
  const series = new Map<string, Sample[]>();
  const impacts = new Map<string, { at: number; small: number | null; large: number | null }[]>();
  const volumes = new Map<string, Volume[]>();
  const add = <T>(map: Map<string, T[]>, key: string, value: T) =>
    map.set(key, [...(map.get(key) ?? []), value]);

  for (const answers of rounds) {
    for (const token of tokens) {
      const measured = impacts.get(token.assetKey) ?? [];
      const premium = premiumOf(token, answers, day, measured.at(-1));
      if (premium) add(series, `premium ${token.assetKey}`, premium);
      // Nobody had bought the token yet: how deep its pools are nobody knew.
      const volume = measured.length > 0 ? volumeOf(token, answers, day) : null;
      if (volume) add(volumes, token.assetKey, volume);
      const impact = impactOf(token, answers);
      if (impact) add(impacts, token.assetKey, impact);
    }
    for (const [name, sample] of basesOf(answers, day)) add(series, name, sample);
    for (const [name, sample] of lateFunding(answers)) add(series, name, sample);
  }

  const figures: Figures = new Map();
  for (const [name, samples] of series) hoursOf(name, samples, figures);
  for (const [assetKey, measured] of impacts) scoreOf(assetKey, measured, figures);
  totalsOf(volumes, tokens, endedAt, figures);
  return figures;
}

/** The stock's price that counts: Pyth's where it tells the truth, else Jupiter's. */
function referenceOf(ticker: string, answers: readonly Answer[], { lies, tokens }: Day) {
  const witnesses: { source: string; price: number; publishedAt: number | null }[] = [];
  for (const answer of answers.filter(ok)) {
    if (lies.reference(answer.provider, answer.minute)) continue;
    if (answer.provider === "pyth" && answer.path === "/v2/updates/price/latest")
      for (const { id, price } of answer.body.parsed)
        if (Buffer.from(id, "hex").toString().replaceAll("\0", "") === ticker)
          witnesses.push({
            source: "pyth",
            price: Number(price.price) * 10 ** price.expo,
            publishedAt: price.publish_time,
          });
    if (answer.provider === "hyperliquid" && JSON.parse(answer.asked).type === "metaAndAssetCtxs") {
      const index = answer.body[0].universe.findIndex(
        ({ name }: { name: string }) => name === `xyz:${ticker}`,
      );
      const price = Number(answer.body[1][index].oraclePx);
      witnesses.push({ source: "hyperliquid", price, publishedAt: null });
    }
    if (answer.provider === "binance" && answer.path === "/fapi/v1/premiumIndex") {
      const row = answer.body.find(({ symbol }: { symbol: string }) => symbol === `${ticker}USDT`);
      witnesses.push({ source: "binance", price: Number(row.indexPrice), publishedAt: row.time / 1_000 });
    }
  }
  const mints = tokens.filter(({ chain, underlying }) => chain === "solana" && underlying === ticker);
  const stated = stockDataOf(new Set(mints.map(({ address }) => address)), answers);
  if (stated) witnesses.push(stated);
  const chosen = ["pyth", "jupiter"].flatMap(
    (name) => witnesses.find(({ source }) => source === name) ?? [],
  )[0];
  return chosen && { ...chosen, witnesses: new Set(witnesses.map(({ source }) => source)).size };
}

/** Jupiter says it beside the token of that stock, 20 seconds old. */
function stockDataOf(mints: ReadonlySet<string>, answers: readonly Answer[]) {
  for (const answer of answers.filter(ok))
    if (answer.provider === "jupiter" && answer.path === "/price/v3")
      for (const [mint, row] of Object.entries<Json>(answer.body))
        if (mints.has(mint))
          return {
            source: "jupiter",
            price: row.stockData.price,
            publishedAt: Date.parse(row.stockData.updatedAt) / 1_000,
          };
  return undefined;
}

function premiumOf(
  token: Token,
  answers: readonly Answer[],
  day: Day,
  impact: { at: number; small: number | null } | undefined,
): Sample | null {
  const price =
    token.chain === "solana" ? displayedPrice(token, answers, day) : bnbPrice(token, answers, day);
  const shares = sharesOf(token, answers, day);
  if (!price || shares === null) return null;
  const reference = referenceOf(token.underlying, answers, day);
  const value = reference ? (price.usd / (shares * reference.price) - 1) * BPS : null;
  const small = impact && price.at - impact.at <= IMPACT_COUNTS ? impact.small : null;
  return {
    at: price.at,
    value,
    netEdgeOrFunding: value === null || small === null ? null : -value - PLATFORM_FEE_BPS - small,
    source: price.source,
    reference: reference?.source ?? null,
    referenceAge: reference?.publishedAt == null ? null : Math.max(0, price.at - reference.publishedAt),
    witnesses: Math.min(price.witnesses, reference?.witnesses ?? price.witnesses),
  };
}

function sharesOf(token: Token, answers: readonly Answer[], { lies }: Day): number | null {
  if (token.shares !== "ratio") return 1;
  for (const answer of answers.filter(ok))
    if (answer.provider === "binanceRwa" && !lies.ratio(answer.minute))
      for (const row of answer.body.data)
        if (row.tokenContractAddress === token.address) return Number(row.tokenToShareRatio);
  return null;
}

/** Of a displayed unit, which is a share. */
function displayedPrice(token: Token, answers: readonly Answer[], day: Day) {
  const answer = answers.find((one) => one.provider === "jupiter" && one.path === "/price/v3" && ok(one));
  const usd = answer?.body[token.address]?.usdPrice;
  if (answer === undefined || usd === undefined) return null;
  return {
    usd,
    at: seconds(answer),
    source: "jupiter",
    witnesses: poolsOf(token, answers, day, true) ? 2 : 1,
  };
}

/** Of the deepest pool that is none of the lies; without one, what a small buy costs. */
function bnbPrice(token: Token, answers: readonly Answer[], day: Day) {
  const found = poolsOf(token, answers, day, true);
  const quote = quotesOf(token, answers).find(({ usd }) => usd === 20);
  if (found) {
    const [deepest] = [...found.pools].sort((one, other) => other.liquidity.usd - one.liquidity.usd);
    const usd = Number(deepest.priceUsd);
    return { usd, at: found.at, source: "dexscreener", witnesses: quote ? 2 : 1 };
  }
  if (!quote) return null;
  return { usd: 20 / (quote.out / 1e18), at: quote.at, source: "pancakeswap", witnesses: 1 };
}

function poolsOf(token: Token, answers: readonly Answer[], { lies }: Day, priced: boolean) {
  const answer = answers.find(
    (one) =>
      one.provider === "dexscreener" &&
      ok(one) &&
      one.path.startsWith("/token-pairs/") &&
      one.path.endsWith(`/${token.address}`),
  );
  const pools = (answer?.body ?? []).filter(
    (pool: Json) => !lies.pool(pool.pairAddress) && (!priced || pool.priceUsd !== undefined),
  );
  return answer === undefined || pools.length === 0 ? null : { pools, at: seconds(answer) };
}

/** Buys of a token in the order in which they were asked for; `out` 0: no route. */
function quotesOf(token: Token, answers: readonly Answer[]) {
  return answers.flatMap((answer) => {
    const bought = answer.query.get("outputMint") ?? answer.query.get("tokenOut");
    if (bought?.toLowerCase() !== token.address.toLowerCase() || answer.status === 503) return [];
    const usd = Number(answer.query.get("amount")) / (DOLLARS[token.chain] ?? Number.NaN);
    const out = ok(answer) ? Number(answer.body.outAmount ?? answer.body.best.outputAmount) : 0;
    return [{ usd, out, at: seconds(answer) }];
  });
}

/** How much worse a buy is than a tiny one; null: no route. */
function impactOf(token: Token, answers: readonly Answer[]) {
  const quotes = quotesOf(token, answers);
  // On BNB chain the first tiny one was for the price.
  const tiny = quotes.filter(({ usd }) => usd === 20).at(token.chain === "bnb" ? 1 : 0);
  if (!tiny) return null;
  if (tiny.out === 0) return { at: tiny.at, small: null, large: null };
  const worse = (size: number) => {
    const quote = quotes.find(({ usd }) => usd === size);
    return quote === undefined || quote.out === 0 ? null : (tiny.out / 20 / (quote.out / size) - 1) * BPS;
  };
  return { at: tiny.at, small: worse(1_000), large: worse(10_000) };
}

function volumeOf(token: Token, answers: readonly Answer[], day: Day): Volume | null {
  const found = poolsOf(token, answers, day, false);
  if (!found) return null;
  const sum = (figureOf: (pool: Json) => number) =>
    found.pools.reduce((total: number, pool: Json) => total + figureOf(pool), 0);
  return {
    at: found.at,
    volume: sum(({ volume }) => volume.h24),
    liquidity: sum(({ liquidity }) => liquidity.usd),
  };
}

function basesOf(answers: readonly Answer[], day: Day): [string, Sample][] {
  const found: [string, Sample][] = [];
  const add = (venue: string, answer: Answer, ticker: string, mark: number, yearly: number) => {
    const spot = referenceOf(ticker, answers, day);
    if (day.lies.mark(venue, answer.minute)) return;
    found.push([
      `basis ${venue}/${ticker}`,
      {
        at: seconds(answer),
        value: spot ? ((mark - spot.price) / spot.price) * BPS : null,
        netEdgeOrFunding: yearly,
        source: venue,
        reference: spot?.source ?? null,
        referenceAge: spot?.publishedAt == null ? null : Math.max(0, seconds(answer) - spot.publishedAt),
        witnesses: spot?.witnesses ?? null,
      },
    ]);
  };
  for (const answer of answers.filter(ok)) {
    if (answer.provider === "hyperliquid" && JSON.parse(answer.asked).type === "metaAndAssetCtxs")
      answer.body[0].universe.forEach(({ name }: { name: string }, index: number) => {
        const { markPx, funding } = answer.body[1][index];
        add("hyperliquid", answer, name.slice(4), Number(markPx), Number(funding) * 24 * 365 * BPS);
      });
    if (answer.provider === "binance" && answer.path === "/fapi/v1/premiumIndex")
      for (const { symbol, markPrice, lastFundingRate } of answer.body)
        add(
          "binance",
          answer,
          symbol.slice(0, -4),
          Number(markPrice),
          Number(lastFundingRate) * 3 * 365 * BPS,
        );
  }
  // What was asked for the past has no market beside it.
  return answers.some(({ asked }) => asked.includes("fundingHistory")) ? [] : found;
}

/** Of the beginnings of hours, without a mark. */
function lateFunding(answers: readonly Answer[]): [string, Sample][] {
  return answers
    .filter((answer) => answer.provider === "hyperliquid" && answer.asked.includes("fundingHistory"))
    .flatMap((answer) =>
      answer.body.map(({ coin, fundingRate, time }: Json): [string, Sample] => [
        `basis hyperliquid/${coin.slice(4)}`,
        {
          at: Math.floor(time / 1_000 / HOUR) * HOUR,
          value: null,
          netEdgeOrFunding: Number(fundingRate) * 24 * 365 * BPS,
          source: "hyperliquid",
          reference: null,
          referenceAge: null,
          witnesses: null,
        },
      ]),
    );
}

function hoursOf(name: string, samples: readonly Sample[], figures: Figures): void {
  const hours = new Map<number, Sample[]>();
  for (const sample of samples) {
    const hour = Math.floor(sample.at / HOUR) * HOUR;
    hours.set(hour, [...(hours.get(hour) ?? []), sample]);
  }
  for (const [hour, own] of hours) {
    const last = own.reduce((one, other) => (other.at > one.at ? other : one));
    const values = own.flatMap(({ value }) => (value === null ? [] : [value]));
    const note = (figure: string, value: Figure) => figures.set(`${name} ${hour} ${figure}`, value);
    note("close", last.value);
    note("lo", values.length === 0 ? null : Math.min(...values));
    note("hi", values.length === 0 ? null : Math.max(...values));
    note("net edge or funding", last.netEdgeOrFunding);
    note("source", last.source);
    note("reference", last.reference);
    note("reference age", last.referenceAge);
    note("witnesses", last.witnesses);
    note("samples", own.length);
  }
}

function scoreOf(
  assetKey: string,
  measured: readonly { small: number | null; large: number | null }[],
  figures: Figures,
): void {
  const median = (list: readonly (number | null)[]): number | null => {
    const sorted = list.map((one) => one ?? Number.POSITIVE_INFINITY).sort((one, other) => one - other);
    const half = sorted.length / 2;
    const [low, high] = [sorted[Math.ceil(half) - 1] ?? 0, sorted[Math.floor(half)] ?? 0];
    return Number.isFinite(high) ? (low + high) / 2 : null;
  };
  const large = median(measured.map((one) => one.large));
  figures.set(`impact ${assetKey} 1k`, median(measured.map(({ small }) => small)));
  figures.set(`impact ${assetKey} 10k`, large);
  figures.set(`impact ${assetKey} samples`, measured.length);
  const grade = large === null ? "D" : large <= 50 ? "A" : large <= 150 ? "B" : large <= 500 ? "C" : "D";
  figures.set(`impact ${assetKey} grade`, measured.length < 3 ? null : grade);
}

/** Of days that ended, by each token's last sample in the hour before midnight; and of now, not older than an hour. */
function totalsOf(
  volumes: ReadonlyMap<string, readonly Volume[]>,
  tokens: readonly Token[],
  endedAt: number,
  figures: Figures,
): void {
  const lastIn = (assetKey: string, from: number, to: number) =>
    (volumes.get(assetKey) ?? []).filter(({ at }) => at >= from && at < to).at(-1);
  const begun = Math.min(...[...volumes.values()].flat().map(({ at }) => at));
  for (let midnight = Math.ceil(begun / DAY) * DAY; midnight <= endedAt; midnight += DAY) {
    const scopes = new Map<string, { volume: number; liquidity: number; count: number }>();
    for (const { assetKey, issuer, chain } of tokens) {
      const last = lastIn(assetKey, midnight - HOUR, midnight);
      if (!last) continue;
      for (const scope of ["all", `issuer:${issuer}`, `chain:${chain}`]) {
        const sum = scopes.get(scope) ?? { volume: 0, liquidity: 0, count: 0 };
        scopes.set(scope, {
          volume: sum.volume + last.volume,
          liquidity: sum.liquidity + last.liquidity,
          count: sum.count + 1,
        });
      }
    }
    for (const [scope, sum] of scopes)
      for (const [figure, value] of Object.entries(sum))
        figures.set(`day ${midnight} ${scope} ${figure}`, value);
  }
  const live = tokens.flatMap(({ assetKey }) => lastIn(assetKey, endedAt - HOUR + 1, endedAt + 1) ?? []);
  const sum = (pick: (volume: Volume) => number) => live.reduce((total, one) => total + pick(one), 0);
  figures.set("live volume", live.length === 0 ? null : sum(({ volume }) => volume));
  figures.set("live liquidity", live.length === 0 ? null : sum(({ liquidity }) => liquidity));
  figures.set("live tokens", live.length);
}
