import { expect } from "chai";
import { factorAt } from "../../../attestor/shares.ts";
import { XSTOCKS } from "../../../market/providers/xstocks.ts";
import type { ShareRatio } from "../../../market/statement.ts";
import { bench, failsAsEvery, faultOf } from "../../support/providers/adapter.ts";
import { captured } from "../../support/providers/captures.ts";
import { json } from "../../support/providers/upstream.ts";

const MINT = "XsDoVfqeBukxuZHWhdvWHBhgEHjGNst4MLodqsJHzoB";
const node = (symbol: string, more: object = {}) => ({
  symbol,
  underlyingSymbol: symbol.replace(/x$/, ""),
  isTradingHalted: false,
  trading: { openNow: true, currentPeriod: "overnight", currency: "USD" },
  deployments: [
    { network: "Solana", address: MINT },
    {
      network: "BinanceSmartChain",
      address: "0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d",
      wrapperAddress: "0x1",
    },
    { network: "Ethereum", address: "0x55d398326f99059ff775485246999027b3197955" },
  ],
  ...more,
});
const page = (currentPage: number, hasNextPage: boolean, ...nodes: unknown[]) =>
  json({ nodes, page: { currentPage, hasNextPage } });

describe("xStocks", () => {
  const at = bench();
  const xstocks = () => XSTOCKS.connect(at.deps);

  it("lists its tokens of one chain over all pages, with their halts", async () => {
    at.upstream.reply(page(0, true, node("TSLAx")), page(1, false, node("AAPLx", { isTradingHalted: true })));
    const { statements } = await xstocks().assets("solana");
    for (const { rawHash } of statements) expect(rawHash).to.match(/^0x[0-9a-f]{64}$/);
    expect(new Set(statements.map(({ rawHash }) => rawHash)).size).to.equal(2);
    const stated = { of: "listing", figure: "listed", source: "xstocks", origin: "xstocks", at: null };
    expect(statements.map(({ rawHash: _, ...listing }) => listing)).to.eql([
      { ...stated, subject: "TSLAx", isHalted: false, addresses: [MINT] },
      { ...stated, subject: "AAPLx", isHalted: true, addresses: [MINT] },
    ]);
    expect(at.upstream.asked.map(({ query }) => Object.fromEntries(query))).to.eql([
      { network: "Solana", page: "0", pageSize: "100" },
      { network: "Solana", page: "1", pageSize: "100" },
    ]);
  });

  it("writes addresses of BNB chain with their checksum", async () => {
    at.upstream.reply(page(0, false, node("TSLAx")));
    const [asset] = (await xstocks().assets("bnb")).statements;
    expect(asset?.addresses).to.eql(["0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d"]);
  });

  it("leaves out tokens without an address on the chain, and lists those without a word on trading", async () => {
    at.upstream.reply(
      page(
        0,
        false,
        node("Ax", { deployments: [] }),
        node("Bx", { deployments: [{ network: "Solana", address: null }] }),
        node("Cx", { deployments: [{ network: "Solana", address: "0x1" }] }),
        node("Dx", { trading: null }),
      ),
    );
    const { statements, rejected } = await xstocks().assets("solana");
    expect(rejected).to.eql([]);
    expect(statements.map(({ subject }) => subject)).to.eql(["Dx"]);
  });

  it("records misshapen and repeated tokens, and one of unknown halt, and keeps the others", async () => {
    at.upstream.reply(
      page(0, false, null, node("Ax", { isTradingHalted: undefined }), node("<b>"), node("Bx"), node("Bx")),
    );
    const { statements, rejected } = await xstocks().assets("solana");
    expect(statements.map(({ subject }) => subject)).to.eql(["Bx"]);
    expect(rejected).to.eql([
      { of: "listing", subject: "page 0, asset 0", reason: "shape", field: "answer" },
      { of: "listing", subject: "page 0, asset 1", reason: "shape", field: "isTradingHalted" },
      { of: "listing", subject: "page 0, asset 2", reason: "shape", field: "symbol" },
      { of: "listing", subject: "Bx", reason: "duplicate" },
    ]);
  });

  it("gives up a list whose pages repeat themselves or never end", async () => {
    at.upstream.reply(page(0, true, node("Ax")));
    expect((await faultOf(xstocks().assets("solana"))).code).to.equal("shape");
    at.upstream.reply((asked, response) => page(Number(asked.query.get("page")), true)(asked, response));
    expect((await faultOf(xstocks().assets("solana"))).code).to.equal("too_large");
  });

  it("takes an empty list of xStocks' assets for a fault", async () => {
    at.upstream.reply(page(0, false));
    expect((await faultOf(xstocks().assets("solana"))).code).to.equal("shape");
  });

  describe("as multipliers", () => {
    const multiplier = async (body: object) => {
      at.upstream.reply(
        json({ currentMultiplier: 1.0039, newMultiplier: null, activationDateTime: null, ...body }),
      );
      const { statements } = await xstocks().multiplier("TSLAx", "solana");
      return statements[0]!;
    };
    const factorOf = ({ figure: current, change }: ShareRatio, seconds: number) =>
      factorAt({ next: null, effectiveAt: null, ...change, current }, seconds);

    it("counts the new one from its activation on", async () => {
      const ratio = await multiplier({
        newMultiplier: "1.0057",
        activationDateTime: "2026-11-20T14:30:00Z",
      });
      const activation = Date.parse("2026-11-20T14:30:00Z") / 1_000;
      expect(ratio).to.deep.include({
        of: "ratio",
        subject: "TSLAx",
        source: "xstocks",
        figure: "1.0039",
        change: { next: "1.0057", effectiveAt: activation, reason: null },
      });
      expect(ratio.rawHash).to.match(/^0x[0-9a-f]{64}$/);
      expect(factorOf(ratio, activation - 1)).to.equal("1.0039");
      expect(factorOf(ratio, activation)).to.equal("1.0057");
    });

    it("tells of a change of which the time or the value is not told yet, and of none where none is", async () => {
      const announced = async (body: object) => {
        const { change } = await multiplier(body);
        return change && [change.next, change.effectiveAt];
      };
      expect(await announced({ newMultiplier: 2 })).to.eql(["2", null]);
      expect(await announced({ activationDateTime: 1_795_000_000 })).to.eql([null, 1_795_000_000]);
      for (const body of [{}, { newMultiplier: 1.0039, activationDateTime: 0 }, { newMultiplier: 1.0039 }])
        expect(await announced(body)).to.equal(null);
    });

    it("tells a split and a dividend as the reason, and no other words", async () => {
      const reasonOf = async (reason: unknown) =>
        (await multiplier({ newMultiplier: 2, reason })).change?.reason;
      expect(await reasonOf("Stock Split 2:1")).to.equal("split");
      expect(await reasonOf("cash dividend reinvested")).to.equal("dividend");
      for (const other of [null, undefined, "splitting hairs", { split: true }, 7])
        expect(await reasonOf(other), String(other)).to.equal(null);
    });

    it("never counts a new one without a time", async () => {
      for (const body of [{}, { newMultiplier: 2 }, { activationDateTime: "2026-11-20T14:30:00Z" }]) {
        const ratio = await multiplier(body);
        expect(ratio).to.include({ figure: "1.0039" });
        expect(factorOf(ratio, 4_000_000_000)).to.equal("1.0039");
      }
    });

    it("turns away 0, null and a time without its zone", async () => {
      for (const body of [
        { currentMultiplier: 0 },
        { currentMultiplier: null },
        { newMultiplier: 0, activationDateTime: "2026-11-20T14:30:00Z" },
        { newMultiplier: 2, activationDateTime: "2026-11-20T14:30:00" },
        { newMultiplier: 2, activationDateTime: "soon" },
      ])
        expect((await faultOf(multiplier(body))).code, JSON.stringify(body)).to.equal("shape");
    });

    it("xStocks as multipliers states nothing of a symbol that is unknown, and says that it is missing", async () => {
      at.upstream.reply(json({ message: "words" }, 404));
      const rejected = [{ of: "ratio", subject: "NOPEx", reason: "missing" }];
      expect(await xstocks().multiplier("NOPEx", "bnb")).to.eql({ statements: [], rejected });
      expect(at.upstream.asked[0]?.path).to.equal(
        "/api/v2/public/assets/NOPEx/multiplier?network=BinanceSmartChain",
      );
    });
  });

  it("reads recorded answers of xStocks", async () => {
    const capture = captured("xstocks");
    at.upstream.reply(json(capture.response));
    const { statements, rejected } = await xstocks().assets("solana");
    expect(rejected).to.eql([]);
    expect(statements.map(({ subject }) => subject)).to.eql(["SPYx"]);
    at.upstream.reply(json(capture.other["GET /api/v2/public/assets/{SYM}/multiplier?network=Solana"]));
    const [ratio] = (await xstocks().multiplier("SPYx", "solana")).statements;
    expect(ratio).to.include({ figure: "1.005714560286254", change: null });
  });
});

failsAsEvery(
  "xStocks' tokens",
  (deps) => XSTOCKS.connect(deps).assets("bnb"),
  (hole) => {
    const deployments = [{ network: "BinanceSmartChain", address: hole }];
    const own = { symbol: "Ax", underlyingSymbol: "A", isTradingHalted: hole, trading: hole, deployments };
    return { nodes: [own], page: { currentPage: 0, hasNextPage: false } };
  },
);
failsAsEvery(
  "xStocks' multipliers",
  (deps) => XSTOCKS.connect(deps).multiplier("Ax", "bnb"),
  (hole) => ({ currentMultiplier: hole, newMultiplier: hole, activationDateTime: hole }),
);
