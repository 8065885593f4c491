/** A market whose sources a test makes up, and rounds of its collector. */
import type { Database } from "../../../database/open.ts";
import { collectRound } from "../../../market/collect/collect.ts";
import { createMemory } from "../../../market/collect/round.ts";
import type { MarketDeps, StepReport } from "../../../market/collect/types.ts";
import type { MarketAsset } from "../../../market/queries.ts";
import { createMarket, type Market } from "../../../market/round.ts";
import type { Answer, Kind, Source, Statement, StockPrice } from "../../../market/statement.ts";
import { listedToken } from "../../support/samples.ts";

export const NOW = 1_795_003_300;
export const ALL = { from: 0, to: NOW * 2 };

export const ASSETS = ["AAPL", "TSLA", "NVDA"].map((underlying) => listedToken(underlying));

export type Ask = (tokens: readonly MarketAsset[]) => Promise<readonly Statement[] | Answer>;
/** What a source of each kind answers. */
export type Asks = Partial<Record<Kind, Ask>>;

export const by = (source: string, at: number | null = NOW) => ({
  source,
  origin: source,
  at,
  rawHash: null,
});
export const stock = (underlying: string, more: Partial<StockPrice> = {}): StockPrice => ({
  of: "reference",
  subject: underlying,
  ...by("feed", NOW - 5),
  figure: "100",
  confidence: null,
  ...more,
});
export const stocksOf = (tokens: readonly MarketAsset[]) => [
  ...new Set(tokens.map(({ underlying }) => underlying)),
];
export const each =
  (one: (subject: string) => Statement): Ask =>
  async (tokens) =>
    tokens.map(({ assetKey }) => one(assetKey));
const eachStock =
  (one: (subject: string) => Statement): Ask =>
  async (tokens) =>
    stocksOf(tokens).map(one);

export const DEX = by("dex");
export const working = {
  impact: each((subject) => ({
    of: "impact",
    subject,
    ...DEX,
    figure: "40",
    impact1kBps: "4",
    tinyPrice: "101",
    paidIn: "usd",
  })),
  price: each((subject) => ({ of: "price", subject, ...DEX, by: "quote", paidIn: "usd", figure: "101" })),
  ratio: each((subject) => ({ of: "ratio", subject, ...DEX, figure: "1", fixed: true, change: null })),
  reference: eachStock((ticker) => stock(ticker)),
  perp: eachStock((subject) => ({
    of: "perp",
    subject,
    ...by("venue"),
    market: subject,
    figure: "100.5",
    oracleUsd: null,
    fundingRate: "0.0001",
    fundingIntervalHours: 8,
  })),
  volume: each((subject) => ({ of: "volume", subject, ...by("index"), figure: "10", liquidityUsd: "20" })),
} satisfies Asks;

const answerOf = (told: readonly Statement[] | Answer): Answer =>
  "statements" in told ? told : { statements: told, rejected: [] };

function marketOf(asks: Asks, now: () => number, more: Partial<Market> = {}): Market {
  const sources = Object.entries(asks).map(
    ([of, ask]): Source => ({
      asks: "each",
      name: of,
      of: [of as Kind],
      ask: async (tokens) => answerOf(await ask(tokens)),
    }),
  );
  return { ...createMarket(sources, now), ...more };
}

export function deps(db: Database, asks: Asks, more: Partial<MarketDeps> = {}) {
  const logged: object[] = [];
  const tell = (fields: object) => void logged.push(fields);
  const { now = () => NOW * 1_000 + 999 } = more;
  const log = { warn: tell, error: tell };
  const market = marketOf(asks, now);
  return { db, assets: ASSETS, market, sessionAt: () => "regular", log, ...more, now, logged };
}

/** A round of a collector that remembers nothing. */
export const roundOf = (db: Database, asks: Asks, more: Partial<MarketDeps> = {}) =>
  collectRound(deps(db, asks, more), createMemory());

export const step = (steps: readonly StepReport[], kind: string) => steps.find((each) => each.kind === kind)!;

/** A source that does not answer. */
export const boom = async (): Promise<never> => {
  throw new Error("no answer");
};
