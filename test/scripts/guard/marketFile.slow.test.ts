import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { keccak256, ZeroAddress } from "ethers";
import { poolAddress } from "../../../attestor/pools/create2.ts";
import { type Asset, ROUTE_SELECTORS } from "../../../attestor/registry.ts";
import { Deployment } from "../../../chain/deployment.ts";
import { V3_POOL } from "../../../devnet/artifacts.ts";
import { gapLines } from "../../../scripts/guard/market.ts";
import { marketFile } from "../../../scripts/guard/marketFile.ts";
import { fakeAdmin, marketOf } from "../../support/admin.ts";
import { ofSuite } from "../../support/suite.ts";
import { runGiven } from "../../support/typed.ts";
import { testWorld } from "../../support/world.ts";

const KNOWN_ID = `0x${"ab".repeat(32)}`;
const EXAMPLE = join(import.meta.dirname, "../../../deployments/56.market.example.json");

describe("guard market-file", () => {
  const world = testWorld();
  let asked: string[];
  let online: boolean;
  const admin = ofSuite(() =>
    fakeAdmin(world, {
      fetch: async (url) => {
        asked.push(String(url));
        if (!online) throw new TypeError("fetch failed");
        return Response.json([{ id: KNOWN_ID.slice(2), attributes: { base: "AAPL" } }]);
      },
    }),
  );
  before(() => mkdir(admin.path("deployments"), { recursive: true }));
  beforeEach(() => {
    asked = [];
    online = true;
  });

  /** Without the feeds that only the world's own Hermes knows: Pyth's catalog has none of them. */
  const market = () => {
    const { registry, ...rest } = marketOf(world);
    const assets = registry.assets.map((asset) => ({
      ...asset,
      priceSources: asset.priceSources.filter(({ provider }) => provider !== "pyth-hermes"),
    }));
    return { ...rest, registry: { ...registry, assets } };
  };
  type Market = ReturnType<typeof market>;

  /** Writes the world's market, bent, and runs the command over it. */
  async function checked(
    bend: (file: Market) => unknown = () => {},
  ): Promise<{ code: number; faults: string[]; text: string }> {
    const file = market();
    bend(file);
    await writeFile(join(admin.world.deploymentsDir, "31337.market.json"), JSON.stringify(file));
    admin.take();
    const code = await runGiven(marketFile, {}, admin.world);
    const text = admin.take();
    const faults = text.split("\n").filter((line) => line.startsWith("  FAULT"));
    return { code, faults, text };
  }
  const asset = (file: Market, symbol: string) =>
    file.registry.assets.find((candidate) => candidate.symbol === symbol)!;
  const sourceOf = ({ priceSources }: Asset, name: string) =>
    priceSources.find(({ provider }) => provider === name)!;
  const v3 = (file: Market) => {
    const route = file.registry.routes.find(({ kind }) => kind === "uniswap-v3");
    if (route?.kind !== "uniswap-v3") throw new Error("the world has no V3 route");
    return route;
  };

  it("finds the local world as its file says, and tells what every feed says", async () => {
    const { code, faults, text } = await checked();
    expect(faults, text).to.deep.equal([]);
    expect(code).to.equal(0);
    expect(text).to.match(/ok {4}USDL: chainlink live 0x[0-9a-fA-F]{40}: 1 USD, \d+ s old/);
    expect(text).to.contain("SPYx: scaled: factor 1.0057 by erc-8056");
    expect(text).to.match(/agrees with the chain\.$/);
    expect(asked).to.deep.equal([]);
  });

  const bends: Record<string, [(file: Market) => unknown, RegExp]> = {
    "decimals that are not the token's": [
      (file) => Object.assign(asset(file, "USDL"), { decimals: 18 }),
      /has 6 decimals, not 18/,
    ],
    "a symbol that is another token's": [
      (file) => Object.assign(asset(file, "AAPLx"), { symbol: "AAPLon" }),
      /calls itself AAPLx/,
    ],
    "an address without code": [
      (file) => {
        const nowhere = { address: ZeroAddress, assetKey: `eip155:31337:${ZeroAddress}` };
        Object.assign(asset(file, "GMEx"), nowhere);
      },
      /no contract is there/,
    ],
    "a router that lacks the function of its kind": [
      (file) => {
        const selector = ROUTE_SELECTORS["uniswap-v3-router02"];
        Object.assign(v3(file), { kind: "uniswap-v3-router02", selector });
      },
      /has no function 0x04e45aaf/,
    ],
    "a fee tier that the factory does not have": [
      (file) => v3(file).feeTiers.push(2_500),
      /no fee tier 2500/,
    ],
    "a factory that is not the router's": [
      (file) => Object.assign(v3(file), { factory: file.registry.routes[0]!.factory }),
      /the router has another factory/,
    ],
    "a quoter that is not there": [
      (file) => Object.assign(v3(file), { quoter: ZeroAddress }),
      /quoter has another factory, or is not there/,
    ],
    "pools that stand elsewhere than they would by the file": [
      (file) => Object.assign(v3(file).pools!, { initCodeHash: KNOWN_ID }),
      /the pool of \w+ and USDL is 0x\w+, and by pools it is 0x/,
    ],
    "a feed id that does not answer": [
      (file) => Object.assign(sourceOf(asset(file, "AAPLx"), "pyth"), { feedId: KNOWN_ID }),
      /AAPLx: pyth live 0x\w+ has no price/,
    ],
    "a feed that counts in other decimals": [
      (file) => Object.assign(sourceOf(asset(file, "AAPLx"), "chainlink"), { decimals: 18 }),
      /AAPLx: chainlink live 0x\w+ has no price, or other decimals/,
    ],
    "a stock without a kind": [
      (file) => delete asset(file, "TSLAx").tokenKind,
      /no tokenKind: every policy denies/,
    ],
    "a layout that is not the token's": [
      (file) => Object.assign(asset(file, "SPYx").multiplierLayout!, { newUIMultiplier: KNOWN_ID }),
      /SPYx: .*multiplierLayout: the slot holds something else than the shares factor/,
    ],
    "a layout of a token that says nothing": [
      (file) => Object.assign(asset(file, "SPYx"), { tokenSources: [] }),
      /multiplierLayout, and says nothing that it could prove/,
    ],
    "a stock of which nobody says anything": [
      (file) => Object.assign(asset(file, "TSLAx"), { tokenSources: [] }),
      /no source states its factor/,
    ],
    "a dollar token without a price": [
      (file) => Object.assign(asset(file, "USDL"), { priceSources: [] }),
      /USDL: no live price is named/,
    ],
  };
  for (const [name, [bend, fault]] of Object.entries(bends))
    it(`finds in a market file ${name}`, async () => {
      const { code, faults, text } = await checked(bend);
      expect(code).to.equal(1);
      expect(faults.join("\n")).to.match(fault);
      expect(text).to.contain("the service must not trade with it");
    });

  it("asks Pyth's catalog for the ids of its service, once a name", async () => {
    const named = (feedId: string) => (file: Market) => {
      for (const symbol of ["AAPLx", "TSLAx"])
        asset(file, symbol).priceSources.push({
          provider: "pyth-hermes",
          kind: "live",
          symbol: "AAPL",
          feedId,
        });
    };
    expect((await checked(named(KNOWN_ID))).code).to.equal(0);
    expect(asked).to.deep.equal(["https://pyth.dourolabs.app/hermes/v2/price_feeds?query=AAPL"]);
    const unknown = await checked(named(`0x${"cd".repeat(32)}`));
    expect(unknown.faults.join("\n")).to.contain("has no feed 0xcdcd");
    online = false;
    expect((await checked(named(KNOWN_ID))).faults.join("\n")).to.contain("catalog does not answer");
  });

  it("notes what a policy can never allow, without calling it a fault", async () => {
    const { code, text } = await checked((file) => {
      const stock = asset(file, "AAPLx");
      stock.priceSources = [sourceOf(stock, "pyth")];
    });
    expect(code).to.equal(0);
    expect(text).to.contain("note  AAPLx: one live source; STRICT_LIVE needs two and always denies");
    expect(text).to.contain("note  AAPLx: no publisher of signed prices is named; STRICT_LIVE always denies");
    expect(text).to.contain("note  AAPLx: no last close is named; LAST_CLOSE always denies");
  });

  it("says where it looked when there is no file", async () => {
    expect(await runGiven(marketFile, { file: admin.path("missing.json") }, admin.world)).to.equal(2);
    expect(admin.take()).to.contain("missing.json").and.contain("56.market.example.json");
  });
});

describe("the example of a market's file for BNB chain", () => {
  let example: Deployment;
  before(async () => {
    const guardless = { chainId: 56, guard: ZeroAddress, executor: ZeroAddress, deployedAtBlock: 0 };
    example = Deployment.parse({ ...JSON.parse(await readFile(EXAMPLE, "utf8")), ...guardless });
  });

  it("the example of a market's file for BNB chain is complete: every asset has its prices, every stock its kind and those who tell of it", () => {
    expect(gapLines(example)).to.deep.equal([]);
    const stocks = example.registry.assets.filter(({ kind }) => kind === "stock");
    expect(new Set(stocks.map(({ issuer }) => issuer))).to.deep.equal(
      new Set(["xstocks", "ondo", "bstocks"]),
    );
    for (const { issuer, tokenKind, tokenSources, symbol } of stocks) {
      const kinds = { xstocks: "rebasing", ondo: "price-bearing", bstocks: "scaled" };
      expect(tokenKind, symbol).to.equal(kinds[issuer as keyof typeof kinds]);
      expect(tokenSources.length, symbol).to.be.greaterThan(1);
    }
  });

  it("says how pools follow as the makers published it", () => {
    const [pancake, , uniswap] = example.registry.routes;
    expect(uniswap?.pools?.initCodeHash).to.equal(keccak256(V3_POOL.bytecode));
    // A pair that everybody knows: WBNB and BUSD.
    const [wbnb, busd] = [
      "0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c",
      "0xe9e7CEA3DedcA5984780Bafc599bD69ADd087D56",
    ];
    expect(poolAddress(pancake!, wbnb!, busd!, null)).to.equal("0x58F876857a02D6762E0101bb5C46A8c1ED44Dc16");
  });

  it("refuses a source that an asset lists twice, and sources of shares for a settlement token", () => {
    const twice = structuredClone(example);
    const stock = twice.registry.assets.findIndex(({ kind }) => kind === "stock");
    const [first] = twice.registry.assets[stock]!.priceSources;
    twice.registry.assets[stock]!.priceSources.push({ ...first!, symbol: "another name of the same feed" });
    const shares = structuredClone(example);
    const dollar = shares.registry.assets.findIndex(({ kind }) => kind === "settlement");
    shares.registry.assets[dollar]!.tokenSources.push({ source: "erc-8056" });
    for (const [file, index, message] of [
      [twice, stock, /^lists a source twice: pyth-hermes live 0x\w{64}$/],
      [shares, dollar, /^a settlement token has no shares, so it has no tokenSources$/],
    ] as const) {
      const issues = Deployment.safeParse(file).error?.issues ?? [];
      expect(issues.map(({ path }) => path)).to.deep.equal([["registry", "assets", index]]);
      expect(issues[0]?.message).to.match(message);
    }
  });

  it("names one feed per stock, for the tokens of all issuers", () => {
    const ids = new Map<string, Set<string>>();
    for (const feed of example.registry.assets.flatMap(({ priceSources }) => priceSources))
      if ("feedId" in feed) {
        const name = `${feed.provider} ${feed.symbol}`;
        ids.set(name, (ids.get(name) ?? new Set()).add(feed.feedId));
      }
    expect([...ids.keys()]).to.include.members(["chainlink-streams AAPL", "chainlink-streams SPY"]);
    for (const [symbol, known] of ids) expect(known.size, symbol).to.equal(1);
    expect(new Set([...ids.values()].flatMap((known) => [...known])).size).to.equal(ids.size);
  });

  it("the example of a market's file for BNB chain has routes that the example of the guard's desired state allows", async () => {
    const path = join(import.meta.dirname, "../../../deployments/example.desired.json");
    const desired = JSON.parse(await readFile(path, "utf8"));
    const allowed = desired.routes.map(
      ({ route, selector }: Record<string, string>) => `${route} ${selector}`,
    );
    for (const { address, selector } of example.registry.routes)
      expect(allowed).to.include(`${address} ${selector}`);
  });
});
