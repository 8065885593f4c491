import { expect } from "chai";
import { getAddress } from "ethers";
import { GECKOTERMINAL } from "../../../market/providers/geckoterminal.ts";
import { captured } from "../../support/providers/captures.ts";
import { bench, faultOf } from "../../support/providers/faults.ts";
import { json } from "../../support/providers/upstream.ts";

const STOCK = "0x390a684ef9cade28a7ad0dfa61ab1eb3842618c4";
const USDT = "0x55d398326f99059ff775485246999027b3197955";

const pool = (attributes: object = {}, base = `bsc_${STOCK}`) => ({
  id: "bsc_0xAA",
  type: "pool",
  attributes: {
    address: "0xAA",
    base_token_price_usd: "271.3",
    quote_token_price_usd: "0.9998",
    reserve_in_usd: "50000.25",
    volume_usd: { h1: "1", h24: "1234.5" },
    transactions: { h24: { buys: 4, sells: 3, buyers: 2, sellers: 2 } },
    ...attributes,
  },
  relationships: {
    base_token: { data: { id: base } },
    quote_token: { data: { id: `bsc_${USDT}` } },
    dex: { data: { id: "pancakeswap-v3-bsc" } },
  },
});

describe("GeckoTerminal", () => {
  const at = bench();
  const gecko = () => GECKOTERMINAL.connect(at.deps);

  it("lists a token's pools from numbers as strings", async () => {
    at.upstream.reply(json({ data: [pool()] }));
    const { rows, rejected } = await gecko().poolsOf("bnb", STOCK);
    expect(rejected).to.eql([]);
    expect(rows).to.eql([
      {
        provider: "geckoterminal",
        chain: "bnb",
        poolAddress: "0xaa",
        dex: "pancakeswap-v3-bsc",
        baseToken: getAddress(STOCK),
        quoteToken: "0x55d398326f99059fF775485246999027B3197955",
        basePriceUsd: "271.3",
        quotePriceUsd: "0.9998",
        volume24hUsd: "1234.5",
        liquidityUsd: "50000.25",
        trades24h: 7,
        receivedAt: at.clock.now() / 1_000,
      },
    ]);
  });

  it("takes null for unknown and a price of 0 for none", async () => {
    const nulls = { quote_token_price_usd: null, reserve_in_usd: null, volume_usd: null };
    at.upstream.reply(json({ data: [pool({ base_token_price_usd: "0", ...nulls })] }));
    const unknown = { basePriceUsd: null, quotePriceUsd: null, volume24hUsd: null, liquidityUsd: null };
    expect((await gecko().poolsOf("bnb", STOCK)).rows[0]).to.include(unknown);
  });

  it("GeckoTerminal has no pools for an unknown token, by 404 or an empty list", async () => {
    for (const nothing of [json({ errors: [{ status: "404" }] }, 404), json({ data: [] })]) {
      at.upstream.reply(nothing);
      expect(await gecko().poolsOf("bnb", STOCK)).to.eql({ rows: [], rejected: [] });
    }
  });

  it("reads on while pages are full, each pool once", async () => {
    const page = (from: number, count: number) =>
      json({ data: Array.from({ length: count }, (_, index) => pool({ address: `0x${from + index}` })) });
    at.upstream.reply(page(0, 20), page(19, 20), page(39, 3));
    expect((await gecko().poolsOf("bnb", STOCK)).rows).to.have.length(42);
    expect(at.upstream.asked.map(({ query }) => query.get("page"))).to.eql(["1", "2", "3"]);
    expect(at.clock.sleeps).to.eql([6_000, 6_000]);
  });

  it("stops asking GeckoTerminal after five pages", async () => {
    at.upstream.reply(
      json({ data: Array.from({ length: 20 }, (_, index) => pool({ address: `0x${index}` })) }),
    );
    await gecko().poolsOf("bnb", STOCK);
    expect(at.upstream.asked).to.have.length(5);
  });

  it("records pools of another network or shape and keeps the others", async () => {
    at.upstream.reply(
      json({ data: [pool({}, `eth_${STOCK}`), { attributes: {} }, pool({ reserve_in_usd: "-1" }), pool()] }),
    );
    const { rows, rejected } = await gecko().poolsOf("bnb", STOCK);
    expect(rows).to.have.length(1);
    expect(rejected).to.have.length(3);
  });

  describe("as history", () => {
    const candle = (at: number, close: unknown = 271.3) => [at, 270, 272.5, 269, close, 1000.5];
    const list = (...rows: unknown[]) => json({ data: { attributes: { ohlcv_list: rows } } });

    it("gives hours oldest first, without those that have no price", async () => {
      at.upstream.reply(list(candle(7200), candle(3600, 0), candle(0, "271.2"), [1, 2]));
      const { rows, rejected } = await gecko().hourlyCandles("bnb", "0xAA", 10_000, "quote");
      expect(rows).to.eql([
        { at: 0, open: "270", high: "272.5", low: "269", close: "271.2", volumeUsd: "1000.5" },
        { at: 7200, open: "270", high: "272.5", low: "269", close: "271.3", volumeUsd: "1000.5" },
      ]);
      expect(rejected).to.eql([
        { key: "candle 1", reason: "not_positive" },
        { key: "candle 3", reason: "shape", field: "[]" },
      ]);
      expect(Object.fromEntries(at.upstream.asked[0]!.query)).to.eql({
        before_timestamp: "10000",
        limit: "1000",
        currency: "usd",
        token: "quote",
      });
    });

    it("GeckoTerminal as history is not empty for a pool that is unknown but a fault", async () => {
      at.upstream.reply(json({ errors: [] }, 404));
      expect((await faultOf(gecko().hourlyCandles("bnb", "0xAA", 1, "base"))).status).to.equal(404);
    });
  });

  it("reads recorded answers of GeckoTerminal", async () => {
    const capture = captured("geckoterminal");
    const example = JSON.stringify(capture["/networks/{network}/tokens/{token_address}/pools"]);
    // The example is of Ethereum, whose tokens are written alike.
    at.upstream.reply(json(JSON.parse(example.replaceAll('"eth_', '"bsc_'))));
    const { rows, rejected } = await gecko().poolsOf("bnb", "0x");
    expect(rejected).to.eql([]);
    expect(rows[0]).to.include({ liquidityUsd: "545933958.0815", volume24hUsd: "65665560.4792908" });
    at.upstream.reply(json(capture["/networks/{network}/pools/{pool_address}/ohlcv/{timeframe}"]));
    const candles = await gecko().hourlyCandles("solana", "x", 1_780_000_000, "base");
    expect(candles.rows.map((row) => row.at)).to.eql([1779840000, 1779926400]);
  });
});
