import { expect } from "chai";
import { priceInPool } from "../../../market/live/pools.ts";
import { DEXSCREENER } from "../../../market/providers/dexscreener.ts";
import { captured } from "../../support/providers/captures.ts";
import { bench } from "../../support/providers/faults.ts";
import { json } from "../../support/providers/upstream.ts";

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
  const dex = () => DEXSCREENER.connect(at.deps);

  it("lists a token's pools with figures in exact decimals", async () => {
    at.upstream.reply(json([pair()]));
    const { rows, rejected } = await dex().poolsOf("bnb", STOCK);
    expect(rejected).to.eql([]);
    expect(rows).to.have.length(1);
    expect(rows[0]).to.include({
      provider: "dexscreener",
      chain: "bnb",
      poolAddress: "0xaaaa000000000000000000000000000000000001",
      dex: "pancakeswap",
      basePriceUsd: "271.3",
      volume24hUsd: "1234.5",
      liquidityUsd: "50000.25",
      receivedAt: at.clock.now() / 1_000,
    });
    expect(at.upstream.asked[0]?.path).to.equal(`/token-pairs/v1/bsc/${STOCK}`);
  });

  it("prices the token by the side that it is on, by address in any case", async () => {
    at.upstream.reply(json([pair(), pair({ baseToken: { address: USDT }, quoteToken: { address: STOCK } })]));
    const { rows } = await dex().poolsOf("bnb", STOCK);
    expect(priceInPool(rows[0]!, STOCK.toUpperCase().replace("0X", "0x"))).to.equal("271.3");
    // As the quote: 271.3 USD for one USDT at 271.25 stocks each.
    expect(priceInPool(rows[1]!, STOCK)).to.match(/^1\.000184331/);
    expect(priceInPool(rows[0]!, OTHER)).to.equal(null);
  });

  it("minds the case of Solana's addresses", async () => {
    const mint = "XsDoVfqeBukxuZHWhdvWHBhgEHjGNst4MLodqsJHzoB";
    const other = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
    const solana = { chainId: "solana", baseToken: { address: mint }, quoteToken: { address: other } };
    at.upstream.reply(json([pair({ ...solana, pairAddress: "Pool" })]));
    const [pool] = (await dex().poolsOf("solana", mint)).rows;
    expect(pool?.poolAddress).to.equal("Pool");
    expect(priceInPool(pool!, mint)).to.equal("271.3");
    expect(priceInPool(pool!, mint.replace("Xs", "xs"))).to.equal(null);
  });

  it("takes what may be absent for unknown, and not for 0", async () => {
    at.upstream.reply(
      json([
        at2("a", { liquidity: undefined, volume: undefined, priceUsd: undefined }),
        at2("b", { liquidity: { usd: null }, volume: {}, priceUsd: null }),
        at2("c", { priceUsd: "0", liquidity: { usd: "7.5" }, volume: { h24: 0 } }),
      ]),
    );
    const { rows, rejected } = await dex().poolsOf("bnb", STOCK);
    expect(rejected).to.eql([]);
    expect(rows.map((row) => [row.basePriceUsd, row.volume24hUsd, row.liquidityUsd])).to.eql([
      [null, null, null],
      [null, null, null],
      [null, "0", "7.5"],
    ]);
  });

  it("DexScreener has no pools for a token that is unknown, empty list or null", async () => {
    for (const nothing of [[], null]) {
      at.upstream.reply(json(nothing));
      expect(await dex().poolsOf("bnb", STOCK)).to.eql({ rows: [], rejected: [] });
    }
  });

  it("records misshapen pools and keeps the others", async () => {
    const wrong = [null, {}, at2("a", { liquidity: { usd: -1 } }), at2("b", { chainId: "ethereum" })];
    const alsoWrong = [at2("c", { baseToken: { address: "0x1" } }), at2("d", { volume: { h24: "a lot" } })];
    at.upstream.reply(json([...wrong, pair(), ...alsoWrong]));
    const { rows, rejected } = await dex().poolsOf("bnb", STOCK);
    expect(rows).to.have.length(1);
    expect(rejected.map(({ key }) => key)).to.eql([0, 1, 2, 3, 5, 6].map((index) => `pair ${index}`));
  });

  it("loses no digit of DexScreener's numbers", async () => {
    const figures = ["98765432109876543210.5", "0.000000000000000001"];
    at.upstream.reply(json(figures.map((usd, index) => at2(`${index}`, { liquidity: { usd } }))));
    const { rows } = await dex().poolsOf("bnb", STOCK);
    expect(rows.map(({ liquidityUsd }) => liquidityUsd)).to.eql(figures);
  });

  it("reads a recorded answer of DexScreener", async () => {
    const capture = captured("dexscreener");
    at.upstream.reply(json(capture.response));
    const { rows, rejected } = await dex().poolsOf("solana", capture.response[0].baseToken.address);
    expect(rejected).to.eql([]);
    const figures = { basePriceUsd: "0.000147", volume24hUsd: "3519.31", liquidityUsd: "20581.61" };
    expect(rows[0]).to.include(figures);
  });
});
