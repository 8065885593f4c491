/** The providers of the live profile as one local server, which says of the local world's stock and dollar what a test sets. */
import { localSigners, type PublishedPrice, signedUpdate } from "../../../devnet/hermes/update.ts";
import type { TestWorld } from "../world.ts";
import { type Asked, json, type Reply, startFakeUpstream } from "./upstream.ts";

export const STOCK_FEED_ID = `0x${"4e".repeat(32)}`;
export const DOLLAR_FEED_ID = `0x${"d0".repeat(32)}`;

export type LiveFacts = ReturnType<typeof soundFacts>;

/** @param price of a share, US dollars */
export const soundFacts = (price: number) => ({
  /** By Pyth, and that of Finnhub's close. */
  price,
  pythAge: 2,
  /** The signers of Hermes' prices. */
  signedBy: localSigners(),
  /** null: it does not answer. */
  finnhub: price as number | null,
  /** By Pyth. */
  dollar: 1,
  /** In xStocks' list; null: the list cannot be had. */
  halted: false as boolean | null,
  /** What xStocks' multiplier has beside the present one, 1.0057. */
  multiplier: {},
  /** Shares of a token, and whether it trades, by Binance. */
  ratio: "1.0017152487959898",
  status: "TRADING",
});

export async function startLiveProviders(world: TestWorld) {
  const server = await startFakeUpstream();
  const providers = {
    ...server,
    says: soundFacts(1),
    /** Of a service that asks here. */
    env: {
      PYTH_HERMES_KEY: "pyth-s3cret",
      PYTH_HERMES_URL: server.url,
      FINNHUB_KEY: "finnhub-s3cret",
      FINNHUB_URL: server.url,
      XSTOCKS_URL: server.url,
      BINANCE_RWA_KEY: "binance:rwa-s3cret",
      BINANCE_RWA_URL: server.url,
    },
  };
  server.reply((asked, response) => {
    const [, answer] = ANSWERS.find(([path]) => asked.path.includes(path))!;
    answer(providers.says, world, asked)(asked, response);
  });
  return providers;
}

type Answer = (says: LiveFacts, world: TestWorld, asked: Asked) => Reply;

const secondsIn = (world: TestWorld) => Math.floor(world.clock.now() / 1_000);

const hermes: Answer = (says, world, { query }) => {
  const prices = query.getAll("ids[]").map((id): PublishedPrice => {
    const isDollar = `0x${id}` === DOLLAR_FEED_ID;
    const usd = isDollar ? says.dollar : says.price;
    return {
      feedId: `0x${id}`,
      price: BigInt(Math.round(usd * 1e5)),
      confidence: isDollar ? 10n : 1_000n,
      exponent: -5,
      publishedAt: secondsIn(world) - (isDollar ? 2 : says.pythAge),
    };
  });
  const update = signedUpdate(prices, prices[0]!.publishedAt, says.signedBy);
  return json({
    binary: { encoding: "hex", data: [Buffer.from(update).toString("hex")] },
    parsed: prices.map(({ feedId, price, confidence, exponent, publishedAt }) => ({
      id: feedId.slice(2),
      price: { price: `${price}`, conf: `${confidence}`, expo: exponent, publish_time: publishedAt },
    })),
  });
};

const binanceRwa: Answer = ({ ratio, status }, world) =>
  json({
    code: 0,
    data: [
      {
        binanceChainId: "56",
        tokenContractAddress: world.token("AAPLx").toLowerCase(),
        tokenToShareRatio: ratio,
        tokenPrice: ratio,
        referencePrice: "1",
        statusInfo: { openState: status === "TRADING", reasonCode: status },
      },
    ],
  });

const finnhub: Answer = (says, world) =>
  says.finnhub === null ? json({}, 500) : json({ c: says.finnhub, pc: says.price, t: secondsIn(world) - 5 });

const multiplier: Answer = (says) =>
  json({ currentMultiplier: "1.0057", newMultiplier: null, activationDateTime: null, ...says.multiplier });

const listOfXstocks: Answer = ({ halted }, world) => {
  if (halted === null) return json({}, 500);
  const deployments = [{ network: "BinanceSmartChain", address: world.token("AAPLx") }];
  const stock = { symbol: "AAPLx", underlyingSymbol: "AAPL", isTradingHalted: halted, trading: null };
  return json({ nodes: [{ ...stock, deployments }], page: { currentPage: 0, hasNextPage: false } });
};

/** By a part of the path; the last takes all others. */
const ANSWERS: readonly (readonly [string, Answer])[] = [
  ["/v2/updates/price/latest", hermes],
  ["/build/api/v1/dex/market/rwa/tokens", binanceRwa],
  ["/api/v1/quote", finnhub],
  ["/multiplier", multiplier],
  ["/", listOfXstocks],
];
