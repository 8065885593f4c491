import { expect } from "chai";
import { keccak256, toUtf8Bytes } from "ethers";
import { JUPITER, type PricedToken, USDT_MINT } from "../../../market/providers/jupiter.ts";
import { createLimits } from "../../../market/providers/limits.ts";
import { bench, expectOtherShapes, failsAsEvery, faultOf } from "../../support/providers/adapter.ts";
import { captured } from "../../support/providers/captures.ts";
import { json } from "../../support/providers/upstream.ts";
import { listedToken } from "../../support/samples.ts";

const USD = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
const STOCK = "XsDoVfqeBukxuZHWhdvWHBhgEHjGNst4MLodqsJHzoB";
const REQUEST = { inputToken: USD, outputToken: STOCK, amountIn: "1000000000" };

const quoted = (more: object = {}) => ({
  inputMint: USD,
  outputMint: STOCK,
  inAmount: "1000000000",
  outAmount: "264150000",
  priceImpactPct: "0",
  transaction: null,
  ...more,
});

describe("Jupiter", () => {
  const at = bench();
  const jupiter = () => JUPITER.connect(at.deps);

  for (const version of ["order", "quote"] as const)
    describe(`as ${version}`, () => {
      it("quotes an amount, with the provider and our time", async () => {
        at.upstream.reply(json(quoted()));
        expect(await jupiter()[version](REQUEST)).to.eql({
          provider: "jupiter",
          ...REQUEST,
          amountOut: "264150000",
          rawHash: keccak256(toUtf8Bytes(JSON.stringify(quoted()))),
        });
        const [asked] = at.upstream.asked;
        expect(asked?.path.split("?")[0]).to.equal(version === "order" ? "/swap/v2/order" : "/swap/v1/quote");
        const query = { inputMint: USD, outputMint: STOCK, amount: "1000000000" };
        expect(Object.fromEntries(asked!.query)).to.eql(query);
      });

      it("takes amounts as numbers while they are exact", async () => {
        at.upstream.reply(json(quoted({ inAmount: 1000000000, outAmount: 7 })));
        expect((await jupiter()[version](REQUEST))?.amountOut).to.equal("7");
      });

      it("turns away an amount of 0, null, a fraction and the answer to another question", async () => {
        const amounts = ["0", null, "1.5", "-3", 2 ** 60].map((outAmount) => ({ outAmount }));
        const others = [{ inAmount: "999" }, { outputMint: USD }, { inputMint: STOCK }];
        await expectOtherShapes(at, [...amounts, ...others].map(quoted), () => jupiter()[version](REQUEST));
      });
    });

  const failed = "Failed to get quotes";
  it("knows each way to say that there is no route", async () => {
    for (const [way, reply] of [
      ["order", json({ error: failed }, 400)],
      ["order", json({ errorMessage: failed, requestId: "r" })],
      ["quote", json({ error: "words", errorCode: "COULD_NOT_FIND_ANY_ROUTE" }, 400)],
    ] as const) {
      at.upstream.reply(reply);
      expect(await jupiter()[way](REQUEST)).to.equal(null);
    }
  });

  it("Jupiter does not take another refusal for a missing route", async () => {
    for (const [way, reply, fault] of [
      ["order", json({ error: "Invalid mint" }, 400), { status: 400 }],
      ["quote", json({ error: "words", errorCode: "TOKEN_NOT_TRADABLE" }, 400), { status: 400 }],
      ["order", json({ errorMessage: "Try again later", requestId: "r" }), { code: "shape" }],
      ["order", json({ error: failed }, 401), { status: 401 }],
    ] as const) {
      at.upstream.reply(reply);
      expect(await faultOf(jupiter()[way](REQUEST))).to.include(fault);
    }
  });

  it("is asked 0.7 times in two seconds without a key, in one with a key, and as often as an operator sets", async () => {
    at.upstream.reply(json(quoted()));
    for (const [apiKey, limit, pause] of [
      [undefined, undefined, 2_000],
      ["k", undefined, 1_000],
      ["k", 600, 100],
    ] as const) {
      const own = JUPITER.connect({ ...at.deps, limits: createLimits(), apiKey, limit });
      await own.order(REQUEST);
      const from = at.time.now();
      await own.order(REQUEST);
      expect(at.time.now() - from).to.equal(Math.ceil(pause / 0.7));
      expect(at.upstream.asked.at(-1)?.headers["x-api-key"]).to.equal(apiKey);
    }
  });

  it("waits for the reset that its headers announce", async () => {
    const reset = String(at.time.now() / 1_000 + 20);
    at.upstream.reply(json(quoted(), 200, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset }));
    const own = jupiter();
    const from = at.time.now();
    await own.order(REQUEST);
    await own.order(REQUEST);
    expect(at.time.now() - from).to.equal(20_000);
  });

  describe("as prices", () => {
    const token = { mint: STOCK, symbol: "TSLA", scaled: true };
    const row = (more: object = {}) => ({
      usdPrice: 304.2,
      stockData: { id: "xstocks", price: 378.5, updatedAt: "2026-11-20T14:59:41.544Z" },
      scaledUiConfig: { multiplier: "1.25", usdPricePrescaled: 380.25 },
      ...more,
    });

    it("tells the token per share and per token, and the stock with its time and the answer's hash", async () => {
      at.upstream.reply(json({ [STOCK]: row() }));
      const { statements, rejected } = await jupiter().prices([token]);
      expect(rejected).to.eql([]);
      const rawHash = keccak256(toUtf8Bytes(JSON.stringify({ [STOCK]: row() })));
      const stated = { subject: STOCK, source: "jupiter", origin: "jupiter", at: null, rawHash };
      const updatedAt = Date.parse("2026-11-20T14:59:41Z") / 1_000;
      const stock = { ...stated, subject: "TSLA", origin: "xstocks", at: updatedAt };
      expect(statements).to.eql([
        { ...stated, of: "price", by: "aggregator", paidIn: "usd", figure: "380.25" },
        { ...stated, of: "ratio", figure: "1.25", change: null },
        { ...stock, of: "reference", figure: "378.5", confidence: null },
      ]);
    });

    const figures = async (tokens: readonly PricedToken[]) => {
      const { statements, rejected } = await jupiter().prices(tokens);
      return { stated: statements.map(({ of, subject, figure }) => `${of} ${subject} ${figure}`), rejected };
    };

    it("counts a unit by the multiplier in effect, also where Jupiter's own price is still of before the change", async () => {
      const now = at.time.now() / 1_000;
      const units = async (effectiveAt: number) => {
        const newMultiplierEffectiveAt = new Date(effectiveAt * 1_000).toISOString();
        const change = { multiplier: 1, newMultiplier: 10, newMultiplierEffectiveAt };
        const scaledUiConfig = { ...change, usdPricePrescaled: 1_000 };
        at.upstream.reply(json({ [STOCK]: row({ usdPrice: 1_000, scaledUiConfig }) }));
        return (await figures([token])).stated.slice(0, 2);
      };
      // Each request waits for its turn.
      expect(await units(now + 60)).to.eql([`price ${STOCK} 1000`, `ratio ${STOCK} 1`]);
      expect(await units(now)).to.eql([`price ${STOCK} 1000`, `ratio ${STOCK} 10`]);
    });

    it("reads numbers as strings, and lives without stock and scale", async () => {
      at.upstream.reply(json({ [STOCK]: { usdPrice: "1e-7" } }));
      const { stated } = await figures([{ ...token, scaled: false }]);
      expect(stated).to.eql([`price ${STOCK} 0.0000001`]);
    });

    it("knows no price of a scaled mint without its multiplier, or with one that its two prices contradict", async () => {
      const mints = ["a", "b", "c"].map((mint) => ({ ...token, mint }));
      const scaledUiConfig = { multiplier: "1.3625", usdPricePrescaled: 380.25 };
      at.upstream.reply(json({ a: row({ scaledUiConfig: null }), b: row({ scaledUiConfig }), c: row() }));
      const { stated, rejected } = await figures(mints);
      expect(stated).to.eql(["price c 380.25", "ratio c 1.25", "reference TSLA 378.5"]);
      expect(rejected).to.eql([
        { of: "price", subject: "a", reason: "shape", field: "scaledUiConfig" },
        { of: "price", subject: "b", reason: "ratio_contradicts_prices", field: "scaledUiConfig.multiplier" },
      ]);
    });

    it("records what is missing, of price 0 or misshapen, and keeps the others", async () => {
      at.upstream.reply(
        json({
          a: row({ usdPrice: 0 }),
          b: row({ usdPrice: "much" }),
          c: null,
          d: row({ stockData: { price: 0, updatedAt: "2026-11-20T14:59:41Z" } }),
          e: row(),
        }),
      );
      const mints = ["a", "b", "c", "d", "e", "f"].map((mint) => ({ ...token, mint, symbol: `of ${mint}` }));
      const { stated, rejected } = await figures(mints);
      expect(stated).to.eql([
        ...["price d 380.25", "ratio d 1.25"],
        ...["price e 380.25", "ratio e 1.25", "reference of e 378.5"],
      ]);
      expect(rejected).to.eql([
        { of: "price", subject: "a", reason: "not_positive" },
        { of: "price", subject: "b", reason: "shape", field: "usdPrice" },
        { of: "price", subject: "c", reason: "missing" },
        { of: "reference", subject: "of d", reason: "not_positive" },
        { of: "price", subject: "f", reason: "missing" },
      ]);
    });

    it("asks for fifty at a time", async () => {
      at.upstream.reply(json({ m0: row() }));
      const many = Array.from({ length: 101 }, (_, index) => ({ ...token, mint: `m${index}` }));
      expect((await jupiter().prices(many)).rejected).to.have.length(100);
      expect(at.upstream.asked.map(({ query }) => query.get("ids")?.split(",").length)).to.eql([50, 50, 1]);
    });

    it("states of the listed tokens on Solana, and what the dollar token of other chains is worth", async () => {
      at.upstream.reply(json({ [STOCK]: row(), [USDT_MINT]: { usdPrice: 0.999 } }));
      const onSolana = { chain: "solana", address: STOCK, shares: "multiplier" } as const;
      const tokens = [listedToken("TSLA", onSolana), listedToken("AAPL")];
      const [list] = JUPITER.sources!(jupiter(), { tokens, now: at.deps.now });
      if (list?.asks !== "list") throw new Error("prices are a list");
      const { statements } = await list.ask();
      expect(statements.map(({ of, subject, figure }) => `${of} ${subject} ${figure}`)).to.eql([
        ...["price key-TSLA 380.25", "ratio key-TSLA 1.25", "reference TSLA 378.5", "dollar USDT 0.999"],
      ]);
    });
  });

  const requestOf = ({ inputMint, outputMint, inAmount }: ReturnType<typeof quoted>) => ({
    inputToken: inputMint,
    outputToken: outputMint,
    amountIn: inAmount,
  });

  it("reads recorded orders of Jupiter", async () => {
    const capture = captured("jupiter.order");
    for (const answer of [capture.response_xstock_trimmed, capture.response_full]) {
      at.upstream.reply(json(answer));
      expect((await jupiter().order(requestOf(answer)))?.amountOut).to.equal(answer.outAmount);
    }
    for (const { status, body } of capture.errors) {
      at.upstream.reply(json(body, status));
      expect(await jupiter().order(REQUEST)).to.equal(null);
    }
  });

  it("reads recorded quotes of Jupiter", async () => {
    const capture = captured("jupiter.quote");
    for (const answer of [capture.response, capture.response_2026_variant]) {
      at.upstream.reply(json(answer));
      expect((await jupiter().quote(requestOf(answer)))?.amountOut).to.equal(answer.outAmount);
    }
  });

  it("reads recorded prices of Jupiter", async () => {
    const capture = captured("jupiter.prices");
    at.upstream.reply(json(capture.response));
    const mints = Object.keys(capture.response);
    const { statements, rejected } = await jupiter().prices(
      mints.map((mint) => ({ mint, symbol: "SPY", scaled: mint.startsWith("Xs") })),
    );
    expect(rejected).to.eql([]);
    expect(statements.map(({ of, figure }) => [of, figure])).to.eql([
      ["price", "0.9996707920875532"],
      ["price", "761.2193526587438"],
      ["ratio", "1.005714560286254"],
      ["reference", "757.8534"],
    ]);
  });
});

failsAsEvery(
  "Jupiter's order",
  (deps) => JUPITER.connect(deps).order({ ...REQUEST, amountIn: "1" }),
  (hole) => quoted({ inAmount: "1", outAmount: hole }),
);
failsAsEvery(
  "Jupiter's prices",
  (deps) => JUPITER.connect(deps).prices([{ mint: "m", symbol: "X", scaled: true }]),
  (hole) => ({ m: { usdPrice: hole, stockData: hole, scaledUiConfig: hole } }),
);
