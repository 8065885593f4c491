/** What venues of perpetuals state of a stock: the perpetual itself, and their own price of the stock. */
import type { Answer, ListSource, PerpState, StockPrice } from "../statement.ts";

/** Perpetuals whose name is the stock's: a name alone is no proof (`SP500` is no `SPY`). Extended by hand. */
const PERP_TICKERS: ReadonlySet<string> = new Set(
  [
    "AAPL ABNB AMD AMZN ARM AVGO BA BABA COIN COST CRCL CRWV CSCO DIS F GE GME GOOGL HD HOOD IBM INTC JPM KO LLY",
    "MA MCD META MRVL MSFT MSTR MU NFLX NKE NVDA ORCL PEP PFE PLTR PYPL QCOM RIVN SBUX SNOW TSLA TSM UBER V WMT XOM",
  ].flatMap((line) => line.split(" ")),
);

const LIST_MS = 60_000;

/** One market of a venue. Prices are decimal text in the quote coin, a US dollar. */
export interface Market {
  readonly venue: string;
  /** As the venue names it. */
  readonly market: string;
  /** The name without the venue's additions. */
  readonly ticker: string;
  readonly markPrice: string;
  readonly indexPrice: string;
  readonly fundingRate: string;
  readonly fundingIntervalHours: number | null;
  readonly at: number | null;
  readonly rawHash: string;
}

/** Off hours the venue's index may follow its own market. */
export function statementsOf(one: Market): [PerpState, StockPrice] {
  const { venue, market, ticker, markPrice, indexPrice, fundingRate, fundingIntervalHours, at, rawHash } =
    one;
  const stated = { subject: ticker, source: venue, origin: venue, at, rawHash };
  const funding = { fundingRate, fundingIntervalHours };
  return [
    { ...stated, of: "perp", figure: markPrice, market, oracleUsd: indexPrice, ...funding },
    { ...stated, of: "reference", figure: indexPrice, confidence: null },
  ];
}

/** Of all markets those of stocks. */
export const perpSource = (name: string, ask: () => Promise<Answer>): ListSource => ({
  asks: "list",
  name,
  of: ["perp", "reference"],
  keepsMs: LIST_MS,
  async ask() {
    const answer = await ask();
    return { ...answer, statements: answer.statements.filter(({ subject }) => PERP_TICKERS.has(subject)) };
  },
});
