/** How the endpoints of the data API read what is asked: tokens by symbol, chain and address; days; and what they repeat. */
import { expect } from "chai";
import { recordBases } from "../../../market/series/basis.ts";
import { testDataApi } from "../../support/dataApi.ts";
import { forEachEngine } from "../../support/database.ts";
import {
  ADDRESSES,
  basisSample,
  impactSample,
  impactsAt,
  listedToken,
  premiumSample,
  premiumsAt,
} from "../../support/samples.ts";

const NOW = Date.UTC(2025, 10, 14, 15, 20) / 1000;
const HOUR = 3_600;

const { appleOnSolana: SOLANA, appleOnBnb: BNB, teslaOnBnb: TESLA } = ADDRESSES;
const APPLE = listedToken("AAPL", { assetKey: "apple-on-solana", chain: "solana", address: SOLANA });
const APPLE_BNB = listedToken("AAPL", { assetKey: "apple-on-bnb", address: BNB });
const ASSETS = [APPLE, APPLE_BNB, listedToken("TSLA", { address: TESLA })];

const KEYED = "/api/v1/premium-history";
const PUBLIC = "/api/premium/history";
const BASIS = "/api/basis/history";

/** What `days` may be, by what becomes of it. */
const DAYS: readonly [what: string, queries: string[], used: (max: number, byDefault: number) => number][] = [
  [
    "that are no number, or are not given, are the default",
    ["", "days=", "days=abc", "days=NaN", "days=Infinity", "days=0x10", "days=7d"],
    (_max, byDefault) => byDefault,
  ],
  [
    "that are given twice, as a list or under another name are the default",
    ["days=5&days=6", "days[]=5", "days[a]=5", "DAYS=5", "days=%00", "days=1,5"],
    (_max, byDefault) => byDefault,
  ],
  [
    "below one are one",
    ["days=0", "days=-1", "days=-999999999999999999999", "days=0.5", "days=-1e400"],
    () => 1,
  ],
  [
    "beyond the most are the most",
    ["days=1e9", "days=366", `days=${"9".repeat(400)}`, "days=1e400"],
    (max) => max,
  ],
  [
    "in any spelling of five are five",
    ["days=5", "days=5.9", "days=+5", "days=%205%20", "days=05", "days=0.5e1"],
    () => 5,
  ],
];

forEachEngine((engine) => {
  describe("what is asked of the data API", () => {
    const { get } = testDataApi(async () => {
      const db = await engine.create();
      const hours = [1, 2].map((back) => NOW - back * HOUR);
      await premiumsAt(
        db,
        NOW,
        hours.map((at) => premiumSample(APPLE.assetKey, at)),
      );
      await recordBases(
        db,
        hours.map((at) => basisSample("AAPL", at)),
        NOW,
      );
      const impacts = hours.map((at) => impactSample(APPLE_BNB.assetKey, at, "12"));
      await impactsAt(db, NOW, impacts);
      return { db, data: { assets: ASSETS, simulated: true, now: () => NOW * 1000 } };
    });

    for (const [what, address, chains] of [
      ["as it is written", SOLANA, ["solana"]],
      ["of Solana in another case, which is another", SOLANA.toLowerCase(), []],
      ["of an EVM chain in any case", BNB.toLowerCase(), ["bnb"]],
      ["that no token has", `0x${"0".repeat(40)}`, []],
      ["that is none", "x".repeat(5_000), []],
      ["that is empty, for all", "", ["solana", "bnb", "bnb"]],
    ] as const)
      it(`assets are found by an address ${what}`, async () => {
        const { body } = await get(`/api/v1/assets?address=${address}`);
        expect(body.assets.map(({ chain }: any) => chain)).to.deep.equal(chains);
        expect(body.count).to.equal(chains.length);
      });

    for (const path of [KEYED, PUBLIC])
      it(`a token is found by its address at ${path}, under any symbol, which is repeated`, async () => {
        const bySymbol = (await get(`${path}?symbol=AAPLx&chain=solana`)).body;
        const found = (await get(`${path}?address=${SOLANA}`)).body;
        expect(found).to.deep.include({ symbol: "AAPLx", address: SOLANA, chain: "solana" });
        expect(found.points).to.deep.equal(bySymbol.points);
        // The answer repeats what it was asked, and keeps it from who asks next.
        expect((await get(`${path}?symbol=Other1&address=${SOLANA}`)).body.symbol).to.equal("Other1");
        expect((await get(`${path}?symbol=AAPLx&chain=solana`)).body.symbol).to.equal("AAPLx");
        expect((await get(`${path}?address=${BNB.toLowerCase()}`)).body.chain).to.equal("bnb");
        expect((await get(`${path}?address=nobody`)).body).to.deep.include({ points: [], address: null });
      });

    it("a score and a basis are found by the address of a token", async () => {
      const { scores } = (await get(`/api/v1/liquidity-scores?address=${BNB}`)).body;
      expect(scores.map(({ address }: any) => address)).to.deep.equal([BNB]);
      const byName = (await get(`${BASIS}?underlying=AAPL&days=2`)).text;
      expect((await get(`${BASIS}?address=${SOLANA}&days=2`)).text).to.equal(byName);
    });

    for (const [what, query, chain, hours] of [
      ["without a chain is of the first that is listed", "", "solana", 2],
      ["with a chain is of that one", "&chain=solana", "solana", 2],
      ["with the other chain is of the other", "&chain=bnb", "bnb", 0],
      ["with an empty chain is of the first", "&chain=", "solana", 2],
      ["with a chain that has none of it is of nobody", "&chain=ethereum", null, 0],
    ] as const)
      it(`a symbol of two chains ${what}`, async () => {
        const { body } = await get(`${PUBLIC}?symbol=AAPLx${query}`, null);
        expect([body.chain, body.points.length]).to.deep.equal([chain, hours]);
        const keyed = (await get(`${KEYED}?symbol=AAPLx${query}`)).body;
        expect([keyed.chain, keyed.points.length]).to.deep.equal([chain, hours]);
      });

    for (const [path, max, byDefault] of [
      [`${KEYED}?symbol=AAPLx`, 90, 30],
      ["/api/market-overview?scope=all", 365, 90],
      [`${PUBLIC}?symbol=AAPLx`, 30, 7],
      [`${BASIS}?underlying=AAPL`, 30, 7],
    ] as const)
      for (const [what, queries, used] of [
        ...DAYS,
        ["of the most are taken", [`days=${max}`], () => max] as (typeof DAYS)[number],
      ])
        it(`days ${what}, and the answer of ${path} says so`, async () => {
          for (const query of queries) {
            const { status, body } = await get(`${path}&${query}`);
            expect([status, body.days], query).to.deep.equal([200, used(max, byDefault)]);
          }
        });

    const symbols = ["", "BRK.Bx", "A%20B", "THIRTEENCHARS", "%E8%8B%B9", "AAPLx%0A", "A".repeat(8_000)];
    const malformed = [
      ...["", "?symbol=AAPLx&symbol=AAPLx", "?symbol[]=AAPLx", `?symbol=BRK.Bx&address=${SOLANA}`],
      ...symbols.map((symbol) => `?symbol=${symbol}`),
    ];
    it("a malformed symbol is refused with a key, and has no points without one", async () => {
      for (const query of malformed) {
        const { status, body } = await get(KEYED + query);
        expect([status, body.code], query).to.deep.equal([400, "bad_symbol"]);
        expect((await get(PUBLIC + query, null)).status, query).to.equal(200);
        const ofBasis = await get(BASIS + query.replaceAll("symbol", "underlying"), null);
        expect(ofBasis.status, query).to.equal(200);
      }
    });

    it("a symbol that is well formed and not listed has no points", async () => {
      for (const symbol of ["ZZZZ", "aaplx", "A", "TWELVECHARS1"]) {
        const { status, body } = await get(`${KEYED}?symbol=${symbol}`);
        expect([status, body.symbol, body.points], symbol).to.deep.equal([200, symbol, []]);
      }
    });

    for (const [what, query, repeated] of [
      ["nothing", "", ""],
      ["markup and a line break", "?symbol=%22%3Cb%3E%5C%0A", '"<b>\\\n'],
      ["two symbols", "?symbol=a&symbol=b", "a,b"],
      ["a symbol of any length", `?symbol=${"x".repeat(8_000)}`, "x".repeat(8_000)],
      ["bytes that are not UTF-8", "?symbol=%FF%FE", "\ufffd\ufffd"],
      ["the name of a member of every object", "?symbol=__proto__", "__proto__"],
    ] as const)
      it(`a public answer repeats what was asked: ${what}`, async () => {
        const premium = (await get(PUBLIC + query, null)).body;
        const basis = (await get(BASIS + query.replaceAll("symbol", "underlying"), null)).body;
        expect([premium.symbol, basis.underlying]).to.deep.equal([repeated, repeated]);
        expect([premium.points, basis.points]).to.deep.equal([[], []]);
      });
  });
});
