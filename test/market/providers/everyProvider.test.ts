import { readdirSync, readFileSync } from "node:fs";
import { expect } from "chai";
import fc from "fast-check";
import { BINANCE } from "../../../market/providers/binance.ts";
import { BINANCE_RWA } from "../../../market/providers/binanceRwa.ts";
import { CHAINLINK_STREAMS } from "../../../market/providers/chainlinkStreams.ts";
import { DEXSCREENER } from "../../../market/providers/dexscreener.ts";
import { ProviderFault } from "../../../market/providers/fault.ts";
import { FINNHUB } from "../../../market/providers/finnhub.ts";
import type { ProviderDeps } from "../../../market/providers/http.ts";
import { HYPERLIQUID } from "../../../market/providers/hyperliquid.ts";
import { JUPITER } from "../../../market/providers/jupiter.ts";
import { KYBERSWAP } from "../../../market/providers/kyberswap.ts";
import { PANCAKESWAP } from "../../../market/providers/pancakeswap.ts";
import { PYTH } from "../../../market/providers/pyth.ts";
import { SOLANA } from "../../../market/providers/solana.ts";
import { XSTOCKS } from "../../../market/providers/xstocks.ts";
import { solanaMint } from "../../support/providers/captures.ts";
import { fakeClock } from "../../support/providers/clock.ts";
import { bench, faultOf } from "../../support/providers/faults.ts";
import {
  broken,
  hanging,
  hangingBody,
  html,
  json,
  status,
  truncated,
} from "../../support/providers/upstream.ts";

const A = "0x55d398326f99059fF775485246999027B3197955";
const REQUEST = { inputToken: A, outputToken: A, amountIn: "1" };
const ID = "a".repeat(64);

/** An adapter's call, and an answer of nearly its shape with one place left for anything. */
const CALLS: Record<string, [(deps: ProviderDeps) => Promise<unknown>, (hole: unknown) => unknown]> = {
  "Jupiter's order": [
    (deps) => JUPITER.connect(deps).order(REQUEST),
    (hole) => ({ inputMint: A, outputMint: A, inAmount: "1", outAmount: hole }),
  ],
  "Jupiter's prices": [
    (deps) => JUPITER.connect(deps).prices([{ mint: "m", symbol: "X", scaled: true }]),
    (hole) => ({ m: { usdPrice: hole, stockData: hole, scaledUiConfig: hole } }),
  ],
  PancakeSwap: [
    (deps) => PANCAKESWAP.connect(deps).quote("bnb", REQUEST),
    (hole) => ({ best: { inputAmount: "1", outputAmount: hole } }),
  ],
  KyberSwap: [
    (deps) => KYBERSWAP.connect(deps).quote("bnb", REQUEST),
    (hole) => ({ code: 0, data: { routeSummary: { amountIn: "1", amountOut: hole } } }),
  ],
  DexScreener: [
    (deps) => DEXSCREENER.connect(deps).poolsOf("bnb", A),
    (hole) => {
      const pair = { chainId: "bsc", dexId: "d", pairAddress: "p", baseToken: { address: A } };
      const prices = { quoteToken: { address: A }, priceUsd: hole, priceNative: hole };
      return [{ ...pair, ...prices, volume: { h24: hole }, liquidity: hole }];
    },
  ],
  Hyperliquid: [
    (deps) => HYPERLIQUID.connect(deps).perps("xyz"),
    (hole) => [{ universe: [{ name: "xyz:A" }] }, [{ funding: hole, oraclePx: hole, markPx: "1" }]],
  ],
  "Hyperliquid's history": [
    (deps) => HYPERLIQUID.connect(deps).fundingHistory("xyz:A", 0, 10_000),
    (hole) => [{ coin: "xyz:A", fundingRate: hole, time: 3_600_000 }],
  ],
  Binance: [
    (deps) => BINANCE.connect(deps).stockPerps(),
    (hole) => ({ symbols: [hole, { symbol: hole, baseAsset: hole }] }),
  ],
  "Binance's list of tokens": [
    (deps) => BINANCE_RWA.connect({ ...deps, apiKey: "k:s" }).shareRatios(),
    (hole) => {
      const stated = { tokenToShareRatio: hole, tokenPrice: hole, referencePrice: "1", statusInfo: hole };
      return { code: 0, data: [{ binanceChainId: "56", tokenContractAddress: A, ...stated }] };
    },
  ],
  Finnhub: [
    (deps) => FINNHUB.connect({ ...deps, apiKey: "k" }).quote("A"),
    (hole) => ({ c: hole, pc: hole, t: 1 }),
  ],
  "Pyth's prices": [
    (deps) => PYTH.connect(deps).latest([{ id: ID, symbol: "A" }]),
    (hole) => ({ parsed: [{ id: ID, price: { price: hole, conf: hole, expo: -5, publish_time: 1 } }] }),
  ],
  "Pyth's catalogue": [
    (deps) => PYTH.connect(deps).catalogue("A"),
    (hole) => [{ id: ID, attributes: { base: "A", symbol: "Equity.US.A/USD", schedule: hole } }],
  ],
  "Chainlink's reports": [
    (deps) => CHAINLINK_STREAMS.connect({ ...deps, apiKey: "k:s" }).latest(`0x${ID}`),
    (hole) => ({ report: { feedID: `0x${ID}`, fullReport: hole } }),
  ],
  "Solana's mints": [
    (deps) => SOLANA.connect(deps).mints([{ mint: "m", decimals: 8 }]),
    (hole) => ({
      result: { value: [solanaMint({ multiplier: hole, newMultiplierEffectiveTimestamp: hole })] },
    }),
  ],
  "xStocks' tokens": [
    (deps) => XSTOCKS.connect(deps).assets("bnb"),
    (hole) => {
      const deployments = [{ network: "BinanceSmartChain", address: hole }];
      const node = { symbol: "Ax", underlyingSymbol: "A", isTradingHalted: hole, trading: hole, deployments };
      return { nodes: [node], page: { currentPage: 0, hasNextPage: false } };
    },
  ],
  "xStocks' multipliers": [
    (deps) => XSTOCKS.connect(deps).multiplier("Ax", "bnb"),
    (hole) => ({ currentMultiplier: hole, newMultiplier: hole, activationDateTime: hole }),
  ],
};

const anything = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom(..."0|-0|1e99|1e999|NaN|Infinity|0x10| 1|1_000|1,5|-1||1.5".split("|")),
  fc.double().map(String),
  fc.bigInt().map(String),
  fc.constantFrom(0, -1, 1e300, 5e-324, 2 ** 53, 1e21, 4_102_444_801),
);

/** Every decimal text that a record carries must be one that the store and the evidence can read. */
function expectPlainDecimals(value: unknown, key = ""): void {
  if (Array.isArray(value)) for (const item of value) expectPlainDecimals(item, key);
  else if (value && typeof value === "object")
    for (const [name, item] of Object.entries(value)) expectPlainDecimals(item, name);
  else if (typeof value === "string" && /price|Price|amount|Usd|rate|multiplier|current|confidence/.test(key))
    expect(value, key).to.match(/^-?\d+(\.\d+)?$/);
  else if (typeof value === "number") expect(Number.isSafeInteger(value), `${key} ${value}`).to.equal(true);
}

for (const [name, [call, shape]] of Object.entries(CALLS))
  describe(`when ${name} fails`, () => {
    const at = bench();
    const fault = () => faultOf(call(at.deps));

    it("gives up a request that hangs, at its deadline, and one whose body hangs", async () => {
      at.upstream.reply(hanging(() => at.clock.expire()));
      expect((await fault()).code).to.equal("timeout");
      at.upstream.reply(hangingBody(() => at.clock.expire()));
      expect((await fault()).code).to.equal("timeout");
    });

    it("tells HTML and truncated JSON from an answer", async () => {
      at.upstream.reply(html);
      expect((await fault()).code).to.equal("not_json");
      at.upstream.reply(truncated(shape("1")));
      expect((await fault()).code).to.equal("not_json");
    });

    it("takes a broken connection and a 5xx for a passing fault", async () => {
      at.upstream.reply(broken);
      expect((await fault()).code).to.equal("network");
      at.upstream.reply(status(503, "<html>down</html>"));
      const failed = await fault();
      expect([failed.code, failed.status]).to.eql(["status", 503]);
    });

    it("comes back after a 429 when the provider said, and without Retry-After in its own time", async () => {
      at.upstream.reply(status(429, "<html>slow down</html>", { "retry-after": "7" }));
      const before = at.clock.now();
      const told = await fault();
      expect([told.code, told.retryAfterMs]).to.eql(["rate_limited", 7_000]);
      expect(at.clock.now() - before).to.be.at.least(14_000);
      at.upstream.reply(status(429, ""));
      expect((await fault()).code).to.equal("rate_limited");
    });

    it("turns away another shape, null included, without repeating the question or its text", async () => {
      at.upstream.reply(json({ secret: "hunter2" }));
      const failed = await fault();
      expect(failed.code).to.equal("shape");
      expect(at.upstream.asked).to.have.length(1);
      expect(`${failed.message} ${JSON.stringify(failed)}`).not.to.contain("hunter2");
      at.upstream.reply(json("hunter2"));
      expect((await fault()).code).to.equal("shape");
    });
  });

describe("any answer of a provider", () => {
  it("takes nothing in the place of what is not there: no schema has a default", () => {
    const folder = new URL("../../../market/providers/", import.meta.url);
    for (const file of readdirSync(folder)) {
      // What catches a rejected promise is a function.
      const [defaulted] =
        /\.(default|prefault)\(|\.catch\((?!\()/.exec(readFileSync(new URL(file, folder), "utf8")) ?? [];
      expect(defaulted, file).to.equal(undefined);
    }
  });

  for (const [name, [call, shape]] of Object.entries(CALLS))
    it(`${name}: comes out as a record of plain figures or as a fault, and as nothing else`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.oneof(anything.map(shape), fc.jsonValue()), async (body) => {
          const fetch = async () => Response.json(body);
          const work = call({ fetch: fetch as unknown as typeof globalThis.fetch, clock: fakeClock() });
          const result = await work.catch((error: unknown) => error);
          if (result instanceof Error) expect(result).to.be.instanceOf(ProviderFault);
          else expectPlainDecimals(result);
        }),
        { numRuns: 150 },
      );
    });
});
