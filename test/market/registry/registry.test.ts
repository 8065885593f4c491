import { expect } from "chai";
import { z } from "zod";
import {
  LISTINGS,
  type Listing,
  parseData,
  Ticker,
  UNDERLYINGS,
  UNLISTED,
  Underlying,
} from "../../../market/registry/listings.ts";
import {
  isChecksummed,
  isSolanaAddress,
  loadRegistry,
  type RegistryToken,
  TokenList,
} from "../../../market/registry/registry.ts";

describe("the registry of real tokens", () => {
  const tokens = loadRegistry();

  it("lists 846 tokens of three issuers on two chains, and says why the 847th is none", () => {
    const count = (issuer: string, chain: string) =>
      tokens.filter((token) => token.issuer === issuer && token.chain === chain).length;
    expect([
      count("xstocks", "solana"),
      count("xstocks", "bnb"),
      count("ondo", "solana"),
      count("ondo", "bnb"),
      count("bstocks", "bnb"),
    ]).to.deep.equal([80, 32, 259, 442, 33]);
    expect(UNLISTED.map(({ symbol }) => symbol)).to.deep.equal(["USDY"]);
    expect(tokens.some(({ address }) => UNLISTED.some((other) => other.address === address))).to.equal(false);
    expect(new Set(tokens.map(({ issuer, chain }) => `${issuer} ${chain}`))).to.deep.equal(
      new Set(["xstocks solana", "xstocks bnb", "ondo solana", "ondo bnb", "bstocks bnb"]),
    );
  });

  it("says for each what it is in English and Chinese, and how many shares it stands for", () => {
    const apple = tokens.find(({ symbol, chain }) => symbol === "AAPLx" && chain === "solana");
    expect(apple).to.deep.equal({
      assetKey: "solana:mainnet:XsbEhLAtcf6HdfpFZ5xEMdqW8nfAvcsP5bdudRLJzJp",
      symbol: "AAPLx",
      underlying: "AAPL",
      nameEn: "Apple",
      nameCn: "苹果",
      issuer: "xstocks",
      chain: "solana",
      address: "XsbEhLAtcf6HdfpFZ5xEMdqW8nfAvcsP5bdudRLJzJp",
      decimals: 8,
      tags: ["technology", "mega-cap"],
      shares: "multiplier",
      confidence: "high",
    });
    const shares = (issuer: string, chain: string) =>
      new Set(
        tokens.filter((token) => token.issuer === issuer && token.chain === chain).map((t) => t.shares),
      );
    expect([...shares("xstocks", "bnb")]).to.deep.equal(["rebasing"]);
    expect([...shares("ondo", "solana")]).to.deep.equal(["ratio"]);
  });

  it("the registry of real tokens has the decimals that each issuer mints with", () => {
    const decimals = new Set(tokens.map((token) => `${token.issuer} ${token.chain} ${token.decimals}`));
    expect(decimals).to.deep.equal(
      new Set(["xstocks solana 8", "xstocks bnb 18", "ondo solana 9", "ondo bnb 18", "bstocks bnb 18"]),
    );
  });

  it("has symbols that the endpoints take but for one, which is reached by its address, and names no company that it does not list", () => {
    const others = tokens.filter(({ symbol }) => !/^[A-Za-z0-9]{1,12}$/.test(symbol));
    expect(others.map(({ symbol }) => symbol)).to.deep.equal(["BRK.Bx"]);
    const listed = new Set(tokens.map(({ underlying }) => underlying));
    expect([...UNDERLYINGS.keys()].filter((ticker) => !listed.has(ticker))).to.deep.equal([]);
  });

  it("has one order, in which a symbol on two chains means the first", () => {
    const apples = tokens.filter(({ symbol }) => symbol === "AAPLx").map(({ chain }) => chain);
    expect(apples).to.deep.equal(["solana", "bnb"]);
    expect(loadRegistry()).to.deep.equal(tokens);
  });

  describe("refuses", () => {
    const bnb = tokens.find(({ chain }) => chain === "bnb")!;
    const solana = tokens.find(({ chain }) => chain === "solana")!;
    const at = (token: RegistryToken, address: string) => ({
      ...token,
      address,
      assetKey: token.assetKey.replace(token.address, address),
    });
    const refused = (...faulty: unknown[]) => {
      const { success, error } = TokenList.safeParse(faulty);
      expect(success, JSON.stringify(faulty)).to.equal(false);
      return error?.issues[0]?.message;
    };

    it("an address with a wrong checksum, or none", () => {
      expect(refused(at(bnb, bnb.address.toLowerCase()))).to.contain("EIP-55");
      const last = bnb.address.at(-1) === "1" ? "2" : "1";
      expect(refused(at(bnb, bnb.address.slice(0, -1) + last))).to.contain("EIP-55");
      expect(isChecksummed("0x")).to.equal(false);
    });

    it("a mint that is not base58 of 32 bytes", () => {
      for (const wrong of [
        solana.address.slice(0, -1),
        `${solana.address}1`,
        solana.address.replace(/^./, "0"),
        "l".repeat(43),
        "z".repeat(44),
        "1".repeat(31),
        "",
      ])
        expect(isSolanaAddress(wrong), wrong).to.equal(false);
      expect(refused(at(solana, solana.address.slice(0, -1)))).to.contain("base58");
      // The system program, all zero bytes, and the wrapped coin's mint.
      expect(isSolanaAddress("1".repeat(32))).to.equal(true);
      expect(isSolanaAddress("So11111111111111111111111111111111111111112")).to.equal(true);
    });

    it("a token that is listed twice, in any case", () => {
      expect(refused(bnb, bnb)).to.contain("listed twice");
      expect(refused(bnb, { ...bnb, symbol: "OTHER" })).to.contain("listed twice");
      expect(TokenList.safeParse([bnb, solana]).success).to.equal(true);
    });

    it("a key of another address, strange decimals, an odd symbol, an unknown issuer, no tags", () => {
      const other = tokens.filter(({ chain }) => chain === "bnb")[1]!;
      expect(refused({ ...bnb, assetKey: other.assetKey })).to.contain("not that of the address");
      refused({ ...bnb, decimals: 8 });
      refused({ ...solana, decimals: 18 });
      refused({ ...bnb, symbol: "BRK.B.x" });
      refused({ ...bnb, confidence: "low" });
      refused({ ...bnb, symbol: "THIRTEENCHARS" });
      refused({ ...bnb, issuer: "backed" });
      refused({ ...bnb, tags: [] });
      refused({ ...bnb, tags: ["etf", "etf"] });
      refused({ ...bnb, nameCn: " " });
      refused({ ...bnb, more: 1 });
    });

    it("a file of listings with a fault, by the file's name and where it stands", () => {
      const named = z.record(Ticker, Underlying);
      const faulty = { Apple: { nameEn: "Apple", nameCn: "", tags: ["etf", "etf"] } };
      expect(() => parseData("underlyings.json", named, faulty)).to.throw(
        /^market\/registry\/underlyings\.json cannot be used:\n.*\n.*at Apple/,
      );
      expect(() => parseData("underlyings.json", named, { AAPL: faulty.Apple })).to.throw("AAPL.nameCn");
    });

    it("a ticker that has no name", () => {
      const listing: Listing = { ...LISTINGS[0]!, addresses: { ZZZZ: solana.address } };
      expect(() => loadRegistry([listing])).to.throw("ZZZZ is listed without a name");
    });
  });
});
