import { expect } from "chai";
import { judgePrice } from "../../../market/collect/outliers.ts";
import { BINANCE } from "../../../market/providers/binance.ts";
import { FINNHUB } from "../../../market/providers/finnhub.ts";
import type { ProviderDeps } from "../../../market/providers/http.ts";
import { JUPITER } from "../../../market/providers/jupiter.ts";
import { PYTH } from "../../../market/providers/pyth.ts";
import type { ReferencePrice } from "../../../market/providers/records.ts";
import { binanceListing } from "../../support/providers/captures.ts";
import { bench } from "../../support/providers/faults.ts";
import { byPath } from "../../support/providers/upstream.ts";

type Stated = Pick<ReferencePrice, "symbol" | "price" | "publishedAt">;
const ID = "a".repeat(64);

/** Each provider stating a price of the same stock at the same time. */
const SOURCES: Record<string, (deps: ProviderDeps) => Promise<Stated | null | undefined>> = {
  Pyth: async (deps) => (await PYTH.connect(deps).latest([{ id: ID, symbol: "AAPL" }])).rows[0],
  Finnhub: (deps) => FINNHUB.connect({ ...deps, apiKey: "k" }).quote("AAPL"),
  Jupiter: async (deps) =>
    (await JUPITER.connect(deps).prices([{ mint: "m", symbol: "AAPL", scaled: false }])).rows[0]?.stock,
  Binance: async (deps) => {
    const [perp] = (await BINANCE.connect(deps).stockPerps()).rows;
    return perp && { symbol: perp.ticker, price: perp.indexPrice, publishedAt: perp.publishedAt };
  },
};

function answers(cents: number, seconds: number) {
  const price = cents / 100;
  const prices = { markPrice: String(price), indexPrice: String(price) };
  return byPath({
    "/v2/updates": {
      parsed: [{ id: ID, price: { price: cents, conf: 1, expo: -2, publish_time: seconds } }],
    },
    "/api/v1/quote": { c: price, pc: price, t: seconds },
    "/price/v3": {
      m: { usdPrice: price, stockData: { price, updatedAt: new Date(seconds * 1_000).toISOString() } },
    },
    "/fapi/v1/exchangeInfo": { symbols: [binanceListing("AAPLUSDT")] },
    "/fapi/v1/fundingInfo": [],
    "/fapi/v1/premiumIndex": [{ ...prices, symbol: "AAPLUSDT", lastFundingRate: "0", time: seconds * 1_000 }],
  });
}

describe("a reference price", () => {
  const at = bench();

  for (const [name, ask] of Object.entries(SOURCES)) {
    async function verdict(cents: number, secondsAhead: number) {
      const now = Math.floor(at.clock.now() / 1_000);
      at.upstream.reply(answers(cents, now + secondsAhead));
      const reference = await ask(at.deps);
      expect(reference).to.include({ symbol: "AAPL", price: String(cents / 100) });
      const stated = { price: reference!.price, at: reference!.publishedAt };
      return judgePrice(stated, { price: "271.5", at: now - 60 }, Math.floor(at.clock.now() / 1_000));
    }

    it(`of ${name} passes when it is near the last one, and not when it is 1000 times off`, async () => {
      expect(await verdict(27_175, -5)).to.equal(null);
      expect(await verdict(27_175_000, -5)).to.equal("absurd_jump");
      expect(await verdict(27, -5)).to.equal("absurd_jump");
    });

    it(`of ${name} does not pass when its clock is ahead of ours`, async () => {
      expect(await verdict(27_175, 3_600)).to.equal("clock_ahead");
    });
  }
});
