import { expect } from "chai";
import { getAddress } from "ethers";
import { DEXSCREENER } from "../../../market/providers/dexscreener.ts";
import { bench, failsAsEvery } from "../../support/providers/adapter.ts";
import { captured } from "../../support/providers/captures.ts";
import { json } from "../../support/providers/upstream.ts";
import { listedToken } from "../../support/samples.ts";

const STOCK = "0x390a684ef9cade28a7ad0dfa61ab1eb3842618c4";
const USDT = "0x55d398326f99059ff775485246999027b3197955";
const OTHER = "0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d";

const pair = (more: object = {}) => ({
  chainId: "bsc",
  dexId: "pancakeswap",
  pairAddress: "0xAAaa000000000000000000000000000000000001",
  baseToken: { address: STOCK, symbol: "AAPLon" },
  quoteToken: { address: USDT, symbol: "USDT" },
  priceNative: "271.25",
  priceUsd: "271.3",
  volume: { h24: 1234.5, h1: 1 },
  liquidity: { usd: 50000.25, base: 1 },
  ...more,
});
const at2 = (pairAddress: string, more: object = {}) => pair({ pairAddress, ...more });

describe("DexScreener", () => {
  const at = bench();
  const poolsOf = async (chain: "bnb" | "solana", token: string) => {
    const { statements, rejected } = await DEXSCREENER.connect(at.deps).poolsOf(chain, token);
    const on = (which: "base" | "quote") => statements.filter(({ side }) => side === which);
    return { base: on("base"), quote: on("quote"), rejected };
  };

  it("lists a token's pools with figures in exact decimals", async () => {
    at.upstream.reply(json([pair()]));
    const { base, quote, rejected } = await poolsOf("bnb", STOCK);
    expect(rejected).to.eql([]);
    expect([base.length, quote.length]).to.eql([1, 1]);
    const pool = {
      source: "dexscreener",
      pool: "0xaaaa000000000000000000000000000000000001",
      volume24hUsd: "1234.5",
      liquidityUsd: "50000.25",
      trades24h: null,
    };
    expect(base[0]).to.include({ ...pool, figure: "271.3", subject: getAddress(STOCK) });
    // 271.3 USD for one stock at 271.25 USDT each.
    expect(quote[0]).to.include({ ...pool, subject: getAddress(USDT) });
    expect(quote[0]?.figure).to.match(/^1\.000184331/);
    expect(at.upstream.asked[0]?.path).to.equal(`/token-pairs/v1/bsc/${STOCK}`);
  });

  it("counts trades, and believes no pools of another token, by address in any case", async () => {
    const trades = { txns: { h24: { buys: 3, sells: 4 } } };
    const other = at2("0xBB", { baseToken: { address: OTHER } });
    at.upstream.reply(json([pair(trades), other]));
    const { base, rejected } = await poolsOf("bnb", STOCK.toUpperCase().replace("0X", "0x"));
    expect(base.map(({ trades24h }) => trades24h)).to.eql([7]);
    expect(rejected).to.eql([{ of: "pool", subject: "0xbb", reason: "shape", field: "baseToken" }]);
  });

  it("gives a pool of two listed tokens to its base token, once, whichever of them was asked for", async () => {
    const both = pair({ quoteToken: { address: OTHER } });
    at.upstream.reply(json([both]));
    const tokens = [listedToken("AAPL", { address: STOCK }), listedToken("TSLA", { address: OTHER })];
    const api = DEXSCREENER.connect(at.deps);
    const [pools] = DEXSCREENER.sources!(api, { tokens, now: at.deps.now });
    if (pools?.asks !== "each") throw new Error("pools are asked for by token");
    for (const asked of [tokens, tokens.slice(1)]) {
      const { statements } = await pools.ask(asked);
      expect(statements.map(({ subject, figure }) => [subject, figure])).to.eql([["key-AAPL", "271.3"]]);
    }
  });

  it("minds the case of Solana's addresses", async () => {
    const mint = "XsDoVfqeBukxuZHWhdvWHBhgEHjGNst4MLodqsJHzoB";
    const other = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
    const solana = { chainId: "solana", baseToken: { address: mint }, quoteToken: { address: other } };
    at.upstream.reply(json([pair({ ...solana, pairAddress: "Pool" })]));
    const [pool] = (await poolsOf("solana", mint)).base;
    expect(pool).to.include({ pool: "Pool", subject: mint, figure: "271.3" });
    expect((await poolsOf("solana", mint.replace("Xs", "xs"))).base).to.eql([]);
  });

  it("takes what may be absent for unknown, and not for 0", async () => {
    at.upstream.reply(
      json([
        at2("a", { liquidity: undefined, volume: undefined, priceUsd: undefined }),
        at2("b", { liquidity: { usd: null }, volume: {}, priceUsd: null }),
        at2("c", { priceUsd: "0", liquidity: { usd: "7.5" }, volume: { h24: 0 } }),
      ]),
    );
    const { base, rejected } = await poolsOf("bnb", STOCK);
    expect(rejected).to.eql([]);
    expect(base.map((row) => [row.figure, row.volume24hUsd, row.liquidityUsd])).to.eql([
      [null, null, null],
      [null, null, null],
      [null, "0", "7.5"],
    ]);
  });

  it("DexScreener has no pools for a token that is unknown, empty list or null", async () => {
    for (const nothing of [[], null]) {
      at.upstream.reply(json(nothing));
      expect(await poolsOf("bnb", STOCK)).to.eql({ base: [], quote: [], rejected: [] });
    }
  });

  it("records misshapen pools and keeps the others", async () => {
    const wrong = [null, {}, at2("a", { liquidity: { usd: -1 } }), at2("b", { chainId: "ethereum" })];
    const alsoWrong = [at2("c", { baseToken: { address: "0x1" } }), at2("d", { volume: { h24: "a lot" } })];
    at.upstream.reply(json([...wrong, pair(), ...alsoWrong]));
    const { base, rejected } = await poolsOf("bnb", STOCK);
    expect(base).to.have.length(1);
    expect(rejected.map(({ subject }) => subject)).to.eql([0, 1, 2, 3, 5, 6].map((index) => `pair ${index}`));
  });

  it("loses no digit of DexScreener's numbers", async () => {
    const figures = ["98765432109876543210.5", "0.000000000000000001"];
    at.upstream.reply(json(figures.map((usd, index) => at2(`${index}`, { liquidity: { usd } }))));
    const { base } = await poolsOf("bnb", STOCK);
    expect(base.map(({ liquidityUsd }) => liquidityUsd)).to.eql(figures);
  });

  it("reads a recorded answer of DexScreener", async () => {
    const capture = captured("dexscreener");
    at.upstream.reply(json(capture.response));
    const { base, rejected } = await poolsOf("solana", capture.response[0].baseToken.address);
    expect(rejected).to.eql([]);
    expect(base[0]).to.include({ figure: "0.000147", volume24hUsd: "3519.31", liquidityUsd: "20581.61" });
  });
});

failsAsEvery(
  "DexScreener",
  (deps) => DEXSCREENER.connect(deps).poolsOf("bnb", STOCK),
  (hole) => {
    const pair = { chainId: "bsc", dexId: "d", pairAddress: "p", baseToken: { address: STOCK } };
    const prices = { quoteToken: { address: USDT }, priceUsd: hole, priceNative: hole };
    return [{ ...pair, ...prices, volume: { h24: hole }, liquidity: hole }];
  },
);
