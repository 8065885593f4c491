/**
 * What has to be served after a day, computed only from the providers' answers. It is the rules of
 * docs/run/market-data.md, "What a level rests on", as plain arithmetic, without code of `market/`.
 */
import type { HeardRound } from "./replayDay.ts";
import {
  binanceMarkets,
  binanceRatios,
  bought,
  contractRatios,
  hyperliquidMarkets,
  hyperliquidStep,
  issuersHalts,
  issuersMultipliers,
  jupiterList,
  type Market,
  mintAccounts,
  type Pool,
  poolsOf,
  pythPrices,
  type Token,
  type Word,
} from "./words.ts";

export type Figure = number | string | null;
/** By a name such as `premium bnb-xstocks-AAPL 1795186800 close`. */
export type Figures = Map<string, Figure>;

type State = "agreed" | "single" | "disputed";

interface Level {
  readonly figure: number | null;
  readonly state: State;
  readonly spread: number | null;
  readonly agreed: readonly Word[];
  readonly all: readonly Word[];
}

interface Sample {
  readonly at: number;
  readonly value: number | null;
  readonly netEdgeOrFunding: number | null;
  readonly source: string;
  readonly reference: string | null;
  readonly referenceAge: number | null;
  readonly witnesses: number | null;
  readonly state: State | null;
  readonly spread: number | null;
  readonly halted: number;
  /** Per interval, and undefined: of no basis. */
  readonly rate?: number | null;
  readonly fundingState?: State | null;
}

interface Volume {
  readonly at: number;
  readonly volume: number;
  readonly liquidity: number;
  readonly halted: boolean;
}

interface Impact {
  readonly at: number;
  readonly small: number;
  readonly large: number;
}

const BPS = 10_000;
const HOUR = 3_600;
const DAY = 86_400;
const WIDTHS: Record<string, number> = { pyth: 15, hyperliquid: 20, binance: 20 };

const apart = (one: number, other: number) => (Math.max(one, other) / Math.min(one, other) - 1) * BPS;
const spreadOf = (words: readonly Word[]) => {
  const figures = words.map(({ figure }) => figure);
  return apart(Math.max(...figures), Math.min(...figures));
};
const middle = (list: readonly number[]) => {
  const sorted = [...list].sort((one, other) => one - other);
  return (sorted[Math.ceil(sorted.length / 2) - 1]! + sorted[Math.floor(sorted.length / 2)]!) / 2;
};
const sum = (list: readonly number[]) => list.reduce((total, one) => total + one, 0);

/** Intervals that hold one point, more than half of them, one for each origin. */
function agree(words: readonly Word[], factor = 1): Level | null {
  const origins = Map.groupBy(words, ({ origin }) => origin);
  const all = [...origins.values()].map((own) => {
    const last = Math.max(...own.map(({ at }) => at ?? 0));
    const newest = own.filter(({ at }) => (at ?? 0) === last);
    return newest.reduce((one, other) => (other.figure < one.figure ? other : one));
  });
  if (all.length === 0) return null;
  if (all.length === 1) return { figure: all[0]!.figure, state: "single", spread: null, agreed: all, all };
  const end = ({ figure, width }: Word, side: number) => figure * (1 + (side * width * factor) / BPS);
  const groups = all.map((one) =>
    all.filter((other) => end(other, -1) <= end(one, -1) && end(other, 1) >= end(one, -1)),
  );
  const most = Math.max(...groups.map(({ length }) => length));
  const [agreed = []] = groups
    .filter(({ length }) => length === most)
    .sort((one, other) => spreadOf(one) - spreadOf(other));
  if (2 * most <= all.length) return { ...NONE, all };
  const figure = middle(agreed.map((word) => word.figure));
  return { figure, state: "agreed", spread: spreadOf(agreed), agreed, all };
}

const NONE = { figure: null, state: "disputed", spread: null, agreed: [] } as const;
const disputed = (level: Level): Level => ({ ...level, ...NONE });
const worst = (states: readonly State[]) =>
  (["disputed", "single", "agreed"] as const).find((state) => states.includes(state)) ?? null;
const namesOf = ({ agreed, all }: Level) =>
  [...new Set((agreed.length > 0 ? agreed : all).map(({ source }) => source))].sort().join(",");
const spreadsOf = (levels: readonly (Level | null)[]) => {
  const spreads = levels.flatMap((level) => level?.spread ?? []);
  return spreads.length === 0 ? null : sum(spreads);
};
const fewest = (levels: readonly (Level | null)[]) =>
  Math.min(...levels.flatMap((level) => level?.agreed.length ?? [])) || null;
const ageOf = (level: Level | null, now: number) => {
  const ages = (level?.agreed ?? []).map(({ at }) => (at === null ? null : Math.max(0, now - at)));
  return ages.length === 0 || ages.includes(null) ? null : Math.max(...ages.map(Number));
};

const mapOf = <T>() => new Map<string, T>();
/** What one round leaves to the next. */
const newMemory = () => ({
  prices: mapOf<{ price: number; at: number; doubted: number | null; times: number }>(),
  unchanged: mapOf<{ figure: string; at: number }>(),
  tokenPrices: mapOf<{ price: number; at: number }>(),
  shares: mapOf<{ ratio: number; price: number; reference: number | null }>(),
  ratios: mapOf<number>(),
  impacts: mapOf<Impact[]>(),
  volumes: mapOf<Volume[]>(),
  tape: mapOf<Volume>(),
  pools: mapOf<readonly Pool[]>(),
  halted: new Set<string>(),
  multipliers: mapOf<number>(),
  fundings: mapOf<{ next: number; at: number; hours: number | null }>(),
  series: mapOf<Sample[]>(),
  /** Of Hyperliquid's fundings, as they were read in the last hour. */
  step: null as { at: number; hours: number | null } | null,
});
type Memory = ReturnType<typeof newMemory>;

/** A round: its answers, and what was before. */
interface Now extends Memory, HeardRound {
  readonly tokens: readonly Token[];
  readonly factor: number;
}

/** @param rounds in order */
export function expectedOf(rounds: readonly HeardRound[], tokens: readonly Token[]): Figures {
  const memory = newMemory();
  for (const round of rounds) {
    const factor = ({ regular: 1, "post-market": 2 } as Record<string, number>)[round.session] ?? 4;
    // What is kept from round to round stays in `memory`.
    const now: Now = Object.assign(Object.create(memory), round, { tokens, factor });
    haltsOf(now);
    const references = new Map(["AAPL", "TSLA"].map((ticker) => [ticker, referenceOf(now, ticker)]));
    basesOf(now, memory, references);
    const fresh = freshPools(now);
    for (const token of tokens) premiumOf(now, token, references.get(token.underlying) ?? null, fresh);
    for (const token of tokens) volumeOf(now, token, fresh);
    for (const token of tokens) impactOf(now, token);
    for (const [symbol, ratio] of issuersMultipliers(round.answers)) memory.multipliers.set(symbol, ratio);
  }
  const figures: Figures = new Map();
  for (const [name, samples] of memory.series) {
    hoursOf(name, samples, figures);
    for (const { at, value, state, spread, rate, fundingState } of samples) {
      const funding = fundingState !== undefined && { funding: rate, "funding state": fundingState };
      const own = { value, state, spread, ...funding };
      for (const [figure, said] of Object.entries(own))
        figures.set(`${name} at ${at} ${figure}`, said ?? null);
    }
  }
  for (const [assetKey, measured] of memory.impacts) scoreOf(assetKey, measured, figures);
  totalsOf(memory.volumes, tokens, rounds.at(-1)!.at, figures);
  return figures;
}

/** Whether a price may follow the last one; the third absurd one that agrees with those before it does. */
function isPlausible({ prices, at: now }: Now, series: string, price: number, own: number | null): boolean {
  if (own !== null && own - now > 120) return false;
  const at = own ?? now;
  const last = prices.get(series);
  const isAbsurd = (before: number) => price > 5 * before || price * 5 < before;
  if (!last || Math.abs(at - last.at) > 4 * DAY || !isAbsurd(last.price)) {
    prices.set(series, { price, at, doubted: null, times: 0 });
    return true;
  }
  const times = last.doubted === null || !isAbsurd(last.doubted) ? last.times + 1 : 1;
  const isNew = times >= 3;
  prices.set(series, isNew ? { price, at, doubted: null, times: 0 } : { ...last, doubted: price, times });
  return isNew;
}

/** Since when a source has said that. */
function since({ unchanged, at }: Now, subject: string, figure: unknown): number {
  const known = unchanged.get(subject);
  if (known?.figure === JSON.stringify(figure)) return known.at;
  unchanged.set(subject, { figure: JSON.stringify(figure), at });
  return at;
}

function haltsOf({ answers, tokens, halted, at }: Now): void {
  const issuers = issuersHalts(answers, tokens);
  const [mints, listed] = [mintAccounts(answers, at), binanceRatios(answers)];
  for (const { assetKey, address, chain, shares } of tokens) {
    const own =
      shares === "multiplier"
        ? mints.get(address)
        : shares === "ratio" && chain === "bnb"
          ? listed.get(address)
          : undefined;
    const said = [...(issuers.has(assetKey) ? [issuers.get(assetKey)] : []), ...(own ? [own.isHalted] : [])];
    if (said.includes(true)) halted.add(assetKey);
    else if (said.length > 0) halted.delete(assetKey);
  }
}

function referenceOf(now: Now, ticker: string): Level | null {
  const { answers, tokens, at, session } = now;
  const pyth = pythPrices(answers).get(ticker);
  const mints = tokens.filter(({ chain, underlying }) => chain === "solana" && underlying === ticker);
  const { rows } = jupiterList(answers, tokens, at);
  const said: (readonly [source: string, origin: string, price: number, at: number | null])[] = [
    ...(pyth && pyth.confidence * 100 <= pyth.price ? [["pyth", "pyth", pyth.price, pyth.at] as const] : []),
    ...mints.flatMap(({ address }) => {
      const stock = rows.get(address)?.stock;
      return stock ? [["jupiter", stock.origin, stock.price, stock.at] as const] : [];
    }),
    ...marketsOf(answers).flatMap((one) =>
      one.ticker === ticker ? [[one.venue, one.venue, one.index, one.at] as const] : [],
    ),
  ];
  const words = said.flatMap(([source, origin, figure, own]): Word[] => {
    const stamp = own ?? since(now, `reference/${source}/${ticker}`, figure);
    if (!isPlausible(now, `reference/${source}/${ticker}`, figure, stamp)) return [];
    if (at - stamp > (session === "regular" ? 900 : 5 * DAY)) return [];
    return [{ source, origin, figure, at: stamp, width: WIDTHS[source] ?? 25 }];
  });
  const isRunning = (word: Word) => at - word.at! <= 900;
  const [running, last] = [words.filter(isRunning), words.filter((word) => !isRunning(word))];
  const level = agree(running.length > 0 ? running : last, now.factor);
  const isFar = level?.state === "single" && running.length > 0 && last.length > 0;
  return isFar && last.every(({ figure }) => apart(figure, level.figure!) > 2_500) ? disputed(level) : level;
}

const marketsOf = (answers: HeardRound["answers"]) => [
  ...(hyperliquidMarkets(answers) ?? []),
  ...binanceMarkets(answers),
];

function basesOf(now: Now, memory: Memory, references: ReadonlyMap<string, Level | null>): void {
  const { answers, at, factor, series, halted, tokens } = now;
  if (hyperliquidMarkets(answers) !== null && (memory.step === null || at - memory.step.at >= HOUR))
    memory.step = { at, hours: hyperliquidStep(answers) };
  const fresh = marketsOf(answers).filter((one) => {
    const { venue, ticker, mark, index, rate } = one;
    if (!isPlausible(now, `perp/${venue}/${ticker}`, mark, one.at)) return false;
    const still = at - since(now, `perp/${venue}/${ticker}`, [mark, index, rate]) > 480 * factor;
    const spot = references.get(ticker)?.figure ?? null;
    const isOld = one.at !== null && at - one.at > 120;
    return !still && !isOld && apart(mark, index) <= 1_000 && (spot === null || apart(mark, spot) <= 2_500);
  });
  for (const one of fresh) {
    const { venue, ticker, mark, rate } = one;
    const rivals = fresh.filter((other) => other.ticker === ticker);
    const words = rivals.map((other): Word => {
      const stamp = other.at ?? now.unchanged.get(`perp/${other.venue}/${ticker}`)!.at;
      return { source: other.venue, origin: other.venue, figure: other.mark, width: 25, at: stamp };
    });
    const all = agree(words, factor)!;
    const isIn = all.agreed.some(({ source }) => source === venue);
    const level = isIn ? { ...all, figure: mark } : disputed(all);
    const spot = references.get(ticker) ?? null;
    const hours = venue === "binance" ? intervalOf(now, one) : (memory.step?.hours ?? null);
    const isFalse = hours !== null && isFalseFunding(now, one, hours);
    const isFar = level.figure !== null && spot?.figure != null && apart(mark, spot.figure) > BPS;
    if (isFar) continue;
    add(series, `basis ${venue}/${ticker}`, {
      at,
      value: level.figure === null || spot?.figure == null ? null : (mark / spot.figure - 1) * BPS,
      rate: isFalse ? null : rate,
      netEdgeOrFunding: hours === null || isFalse ? null : ((rate * 24) / hours) * 365 * BPS,
      source: venue,
      reference: spot?.figure == null ? null : namesOf(spot),
      referenceAge: ageOf(spot, at),
      witnesses: fewest([level, spot]),
      state: spot === null ? null : worst([level.state, spot.state]),
      spread: spreadsOf([level, spot]),
      halted: Number(tokens.some((one) => one.underlying === ticker && halted.has(one.assetKey))),
      fundingState: isFalse ? "disputed" : hours === null ? null : "single",
    });
  }
}

/** As Binance states it, where its next fundings, seen from hour to hour, do not say otherwise. */
function intervalOf({ fundings, at: now }: Now, { ticker, stated, next, at }: Market): number | null {
  const last = fundings.get(ticker);
  const moved = last && now - last.at <= HOUR ? (next! - last.next) / HOUR : 0;
  const step = moved > 0 && moved <= 24 && Number.isInteger(moved) ? moved : (last?.hours ?? null);
  fundings.set(ticker, { next: next!, at: now, hours: step });
  if (stated === undefined) return step;
  return stated !== null && (step === null || step === stated) && next! - at! <= stated * HOUR
    ? stated
    : null;
}

/** By the mark's premium, and by the hours of the seven days before. */
function isFalseFunding(
  { series, at }: Now,
  { venue, ticker, mark, index, rate }: Market,
  hours: number,
): boolean {
  const own = (series.get(`basis ${venue}/${ticker}`) ?? []).filter((sample) => sample.at < at - (at % HOUR));
  const closes = new Map(own.map((sample) => [Math.floor(sample.at / HOUR), sample.netEdgeOrFunding]));
  const before = [...closes.values()].flatMap((funding) => (funding === null ? [] : [Math.abs(funding)]));
  const paid = (Math.abs(rate) * BPS * 8) / hours;
  const premium = apart(mark, index);
  const usual = Math.max((3 * sum(before)) / before.length, ...before) / 1_095;
  if (paid > (before.length === 0 ? premium + 5 : Math.max(usual, premium - 5))) return true;
  return paid < (premium - 5) * 0.05;
}

function freshPools(now: Now): Pool[] {
  return poolsOf(now.answers, now.tokens).filter(({ address, price, liquidity, volume, trades }) => {
    const cadence = Math.min(DAY, Math.max(HOUR, (10 * DAY) / Math.max(1, 2 * (trades ?? 1))));
    return now.at - since(now, `pool/${address}`, [price, liquidity, volume, trades]) <= cadence;
  });
}

/** What Jupiter and Pyth say that USDT is worth. */
function dollarOf({ answers, tokens, at }: Now): Level | null {
  const pyth = pythPrices(answers).get("USDT");
  const { usdt } = jupiterList(answers, tokens, at);
  const words = [
    ...(usdt === null ? [] : [{ source: "jupiter", origin: "jupiter", figure: usdt, width: 10, at: null }]),
    ...(pyth && at - pyth.at <= 900
      ? [{ source: "pyth", origin: "pyth", figure: pyth.price, width: 10, at: pyth.at }]
      : []),
  ];
  return agree(words.filter(({ figure }) => figure >= 0.5 && figure <= 1.5));
}

function pricesOf(now: Now, token: Token, dollar: Level | null): Word[] {
  const { assetKey, chain, address } = token;
  if (chain === "solana") {
    const usd = jupiterList(now.answers, now.tokens, now.at).rows.get(address)?.usd;
    if (usd === undefined || !isPlausible(now, `price/jupiter/${assetKey}`, usd, null)) return [];
    const at = since(now, `price/jupiter/${assetKey}`, usd);
    return now.at - at > HOUR ? [] : [{ source: "jupiter", origin: "jupiter", figure: usd, width: 30, at }];
  }
  const usd = (20 * (dollar?.figure ?? Number.NaN)) / bought(now.answers, token, 20);
  if (Number.isNaN(usd) || !isPlausible(now, `price/pancakeswap/${assetKey}`, usd, null)) return [];
  return [{ source: "pancakeswap", origin: "pancakeswap", figure: usd, width: 60, at: null }];
}

function ratioOf(now: Now, { assetKey, address, symbol, shares }: Token): Level | null {
  const { answers, tokens, at } = now;
  const word = (source: string, figure: number | null | undefined, own: number | null = null): Word[] =>
    figure == null ? [] : [{ source, origin: source, figure, width: 1, at: own }];
  if (shares === "rebasing") return agree(word("registry", 1));
  if (shares === "multiplier")
    return agree([
      ...word("jupiter", jupiterList(answers, tokens, at).rows.get(address)?.ratio),
      ...word("xstocks", now.multipliers.get(symbol)),
      ...word("solana", mintAccounts(answers, at).get(address)?.ratio),
    ]);
  const listed = binanceRatios(answers).get(address);
  const stamp = listed ? since(now, `ratio/${assetKey}`, listed.mark) : at;
  return agree([
    ...(at - stamp > HOUR ? [] : word("binanceRwa", listed?.ratio, stamp)),
    ...word("chain", contractRatios(answers).get(assetKey)),
  ]);
}

/** The deepest of the pools that a quote confirms, or that agree with each other. */
function poolWord(now: Now, pools: readonly Pool[], prices: readonly Word[], stock: number | null): Word[] {
  const alive = pools.filter(
    ({ liquidity, trades, price }) => (liquidity ?? 0) >= 1_000 && (trades ?? 0) > 0 && price !== null,
  );
  const near = alive.filter(({ price }) => stock === null || apart(price!, stock) <= 2_500);
  const candidates = near.length > 0 ? near : alive;
  const quote = agree(prices)?.figure ?? prices[0]?.figure ?? null;
  const words = candidates.map(({ address, price }) => {
    return { source: address, origin: address, figure: price!, width: 40, at: null };
  });
  const inGroup = new Set(agree(words)?.agreed.map(({ source }) => source));
  const confirmed = candidates.filter(({ address, price }) =>
    quote === null ? inGroup.has(address) : apart(price!, quote) <= 100,
  );
  const heard = confirmed.length > 0 || quote === null ? confirmed : candidates;
  const deepest = [...heard].sort((one, other) => other.liquidity! - one.liquidity!)[0];
  if (!deepest) return [];
  const at = now.unchanged.get(`pool/${deepest.address}`)!.at;
  return [{ source: "dexscreener", origin: "dexscreener", figure: deepest.price!, width: 40, at }];
}

function premiumOf(now: Now, token: Token, reference: Level | null, pools: readonly Pool[]): void {
  const { assetKey } = token;
  const dollar = dollarOf(now);
  const stated = pricesOf(now, token, dollar);
  let ratio = ratioOf(now, token);
  if (ratio === null) return;
  const stock = reference?.figure == null || ratio.figure === null ? null : reference.figure * ratio.figure;
  const own = pools.filter(({ owner }) => owner === assetKey);
  let price = agree([...stated, ...poolWord(now, own, stated, stock)], now.factor);
  if (price === null) return;
  if (!ratioFollows(now, assetKey, ratio, price, reference)) ratio = disputed(ratio);
  const far = ratio.figure !== null && reference?.figure != null && price.state === "single";
  if (far && apart(price.figure! / ratio.figure!, reference.figure!) > 2_500) price = disputed(price);
  record(now, token, { price, ratio, reference, dollar });
}

/** Of a ratio that one source alone states: the premium stays where it was before the ratio began to change. */
function ratioFollows(
  { shares }: Now,
  assetKey: string,
  ratio: Level,
  price: Level,
  reference: Level | null,
): boolean {
  const last = shares.get(assetKey);
  if (!last || ratio.state !== "single" || apart(ratio.figure!, last.ratio) <= 2) return true;
  if (price.figure === null) return false;
  const stock = reference?.figure ?? null;
  const isAgainst = stock !== null && last.reference !== null;
  const before = last.price / last.ratio / (isAgainst ? last.reference! : 1);
  return apart(price.figure / ratio.figure! / (isAgainst ? stock : 1), before) <= 50;
}

interface Parts {
  readonly price: Level;
  readonly ratio: Level;
  readonly reference: Level | null;
  readonly dollar: Level | null;
}

function record(now: Now, { assetKey, shares }: Token, { price, ratio, reference, dollar }: Parts): void {
  const { at, impacts, series, halted } = now;
  const parts = shares === "rebasing" ? [price, reference] : [price, ratio, reference];
  const isConverted = price.agreed.some(({ source }) => source === "pancakeswap");
  const states = parts.flatMap((level) => level?.state ?? []);
  if (isConverted && dollar) states.push(dollar.state);
  const isKnown = price.figure !== null && ratio.figure !== null && reference?.figure != null;
  const value = isKnown ? (price.figure / (ratio.figure * reference.figure!) - 1) * BPS : null;
  const impact = impacts.get(assetKey)?.at(-1);
  const small = impact && at - impact.at <= HOUR && Number.isFinite(impact.small) ? impact.small : null;
  if (price.figure !== null) {
    now.tokenPrices.set(assetKey, { price: price.figure, at });
    if (ratio.figure !== null)
      rememberRatio(now, assetKey, ratio.figure, price.figure, reference?.figure ?? null);
  }
  if (value !== null && (value > BPS || value < -BPS / 2)) return;
  add(series, `premium ${assetKey}`, {
    at,
    value,
    netEdgeOrFunding: value === null || small === null ? null : -value - 10 - small,
    source: namesOf(price),
    reference: reference?.figure == null ? null : namesOf(reference),
    referenceAge: ageOf(reference, at),
    witnesses: fewest(parts),
    state: reference === null ? null : worst(states),
    spread: spreadsOf(parts),
    halted: Number(halted.has(assetKey)),
  });
}

function rememberRatio(
  { ratios, shares }: Now,
  assetKey: string,
  ratio: number,
  price: number,
  reference: number | null,
) {
  const isSteady = apart(ratio, ratios.get(assetKey) ?? ratio) <= 2;
  ratios.set(assetKey, ratio);
  if (isSteady || !shares.has(assetKey)) shares.set(assetKey, { ratio, price, reference });
}

/** Pools whose liquidity and turnover the measured buys can carry, the smaller first. */
function volumeOf(now: Now, { assetKey }: Token, fresh: readonly Pool[]): void {
  const { at, impacts, tape, volumes, halted } = now;
  const own = fresh.filter(({ owner }) => owner === assetKey);
  const measured = impacts.get(assetKey);
  if (!measured || own.length === 0) return;
  const [small, large] = [middle(measured.map((one) => one.small)), middle(measured.map((one) => one.large))];
  const [usd, impact] = Number.isFinite(large) ? [10_000, large] : [1_000, small];
  const depth = (2 * usd * BPS) / Math.max(1, impact);
  const within = (pools: readonly Pool[], most: number, figureOf: (pool: Pool) => number | null) => {
    const sorted = [...pools].sort((one, other) => (figureOf(one) ?? 0) - (figureOf(other) ?? 0));
    const upTo = (index: number) => sum(sorted.slice(0, index + 1).map((pool) => figureOf(pool) ?? 0));
    return sorted.filter((_, index) => upTo(index) <= most);
  };
  const alive = own.filter(({ liquidity, trades }) => (liquidity ?? 0) >= 1_000 && (trades ?? 0) > 0);
  const deep = within(alive, 10 * depth, ({ liquidity }) => liquidity);
  const counted = within(deep, 20 * depth, ({ volume }) => volume);
  if (counted.length === 0) return;
  const volume = sum(counted.map((pool) => pool.volume!));
  const liquidity = sum(counted.map((pool) => pool.liquidity!));
  const last = tape.get(assetKey);
  const jumps = (one: number, other: number) =>
    Math.max(one, other) > 10_000 && Math.max(one, other) > 3 * Math.min(one, other);
  if (last && at - last.at <= DAY && (jumps(volume, last.volume) || jumps(liquidity, last.liquidity))) return;
  const before = now.pools.get(assetKey) ?? [];
  const missing = before.filter(({ address }) => own.every((pool) => pool.address !== address));
  const liquid = (pools: readonly Pool[]) => sum(pools.map((pool) => pool.liquidity!));
  if (liquid(missing) > 0.1 * liquid(before)) return;
  const state = { at, volume, liquidity, halted: halted.has(assetKey) };
  if (!last || at - last.at >= HOUR) tape.set(assetKey, state);
  now.pools.set(assetKey, counted);
  add(volumes, assetKey, state);
}

/** How much worse buys are than a tiny one; neither better than it nor cheaper than the token. */
function impactOf(now: Now, token: Token): void {
  const { answers, at, impacts, tokenPrices, factor } = now;
  const perDollar = (usd: number) => bought(answers, token, usd) / usd;
  const tiny = perDollar(20);
  const worse = (usd: number) => (tiny / perDollar(usd) - 1) * BPS;
  const impact = { at, small: worse(1_000), large: worse(10_000) };
  if ([impact.small, impact.large].some((one) => Number.isNaN(one) || one < -100)) return;
  const price = tokenPrices.get(token.assetKey);
  const dollar = token.chain === "bnb" ? (dollarOf(now)?.figure ?? null) : 1;
  if (price && dollar !== null && at - price.at <= HOUR) {
    const cheapest = (dollar / tiny) * (1 + Math.min(0, impact.small, impact.large) / BPS);
    if (cheapest < price.price * (1 - (100 * factor) / BPS)) return;
  }
  add(impacts, token.assetKey, impact);
}

function add<T>(map: Map<string, T[]>, key: string, value: T): void {
  map.set(key, [...(map.get(key) ?? []), value]);
}

function hoursOf(name: string, samples: readonly Sample[], figures: Figures): void {
  for (const [hour, own] of Map.groupBy(samples, ({ at }) => Math.floor(at / HOUR) * HOUR)) {
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
    note("state", last.state);
    note("spread", last.spread);
    note("halted", last.halted);
    if (last.fundingState !== undefined) note("funding state", last.fundingState);
  }
}

function scoreOf(assetKey: string, measured: readonly Impact[], figures: Figures): void {
  const [small, large] = [middle(measured.map((one) => one.small)), middle(measured.map((one) => one.large))];
  figures.set(`impact ${assetKey} 1k`, small);
  figures.set(`impact ${assetKey} 10k`, large);
  figures.set(`impact ${assetKey} samples`, measured.length);
  const grade = large <= 50 ? "A" : large <= 150 ? "B" : large <= 500 ? "C" : "D";
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
    (volumes.get(assetKey) ?? [])
      .filter(({ at }) => at >= from && at < to)
      .slice(-1)
      .filter(({ halted }) => !halted);
  const begun = Math.min(...[...volumes.values()].flat().map(({ at }) => at));
  for (let midnight = Math.ceil(begun / DAY) * DAY; midnight <= endedAt; midnight += DAY) {
    const scopes = mapOf<{ volume: number; liquidity: number; count: number }>();
    for (const { assetKey, issuer, chain } of tokens) {
      const [last] = lastIn(assetKey, midnight - HOUR, midnight);
      if (!last) continue;
      for (const scope of ["all", `issuer:${issuer}`, `chain:${chain}`]) {
        const { volume, liquidity, count } = scopes.get(scope) ?? { volume: 0, liquidity: 0, count: 0 };
        const added = { volume: volume + last.volume, liquidity: liquidity + last.liquidity };
        scopes.set(scope, { ...added, count: count + 1 });
      }
    }
    for (const [scope, sum] of scopes)
      for (const [figure, value] of Object.entries(sum))
        figures.set(`day ${midnight} ${scope} ${figure}`, value);
  }
  const live = tokens.flatMap(({ assetKey }) => lastIn(assetKey, endedAt - HOUR + 1, endedAt + 1));
  const sum = (pick: (volume: Volume) => number) => live.reduce((total, one) => total + pick(one), 0);
  figures.set("live volume", live.length === 0 ? null : sum(({ volume }) => volume));
  figures.set("live liquidity", live.length === 0 ? null : sum(({ liquidity }) => liquidity));
  figures.set("live tokens", live.length);
}
