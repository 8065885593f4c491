/** `assay guard market-file`: a market's file, sound or bent in one place, against the local chain. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { keccak256, ZeroAddress } from "ethers";
import { poolAddress } from "../../../attestor/pools/create2.ts";
import { type Asset, ROUTE_SELECTORS } from "../../../attestor/registry.ts";
import { Deployment } from "../../../chain/deployment.ts";
import { V3_POOL } from "../../../devnet/artifacts.ts";
import { gapLines } from "../../../scripts/guard/market.ts";
import { marketOf } from "../../support/admin.ts";
import { adminTable, type Row } from "../../support/adminTable.ts";
import { type TestWorld, testWorld } from "../../support/world.ts";

const KNOWN_ID = `0x${"ab".repeat(32)}`;
const EXAMPLE = join(import.meta.dirname, "../../../deployments/56.market.example.json");
const FILE = "deployments/31337.market.json";

/** The world's market without the feeds that only its own Hermes knows: Pyth's catalog has none of them. */
function marketIn(chain: TestWorld) {
  const { registry, ...rest } = marketOf(chain);
  const assets = registry.assets.map((asset) => ({
    ...asset,
    priceSources: asset.priceSources.filter(({ provider }) => provider !== "pyth-hermes"),
  }));
  return { ...rest, registry: { ...registry, assets } };
}
type Market = ReturnType<typeof marketIn>;

/** A file that is bent somewhere. */
const fileOf = (bend: (file: Market) => unknown = () => {}): NonNullable<Row["files"]> => ({
  [FILE]: (chain) => {
    const file = marketIn(chain);
    bend(file);
    return JSON.stringify(file);
  },
});
const bent = (name: string, bend: (file: Market) => unknown, fault: RegExp): Row => ({
  name: `finds in a market file ${name}`,
  files: fileOf(bend),
  types: "guard market-file",
  code: 1,
  says: [new RegExp(`^  FAULT.*${fault.source}`, "m"), "the service must not trade with it"],
});

const asset = (file: Market, symbol: string) =>
  file.registry.assets.find((candidate) => candidate.symbol === symbol)!;
const sourceOf = ({ priceSources }: Asset, name: string) =>
  priceSources.find(({ provider }) => provider === name)!;
const v3 = (file: Market) => {
  const route = file.registry.routes.find(({ kind }) => kind === "uniswap-v3");
  if (route?.kind !== "uniswap-v3") throw new Error("the world has no V3 route");
  return route;
};
/** Two stocks with a feed that is named alike. */
const fed = (feedId: string) => (file: Market) => {
  for (const symbol of ["AAPLx", "TSLAx"]) {
    const feed = { provider: "pyth-hermes", kind: "live", symbol: "AAPL", feedId } as const;
    asset(file, symbol).priceSources.push(feed);
  }
};

/** What Pyth's catalog was asked. */
const asked: string[] = [];
const catalog = {
  fetch: async (url: unknown) => {
    asked.push(String(url));
    return Response.json([{ id: KNOWN_ID.slice(2), attributes: { base: "AAPL" } }]);
  },
};

const ROWS: readonly Row[] = [
  {
    name: "finds the local world as its file says, and tells what every feed says",
    files: fileOf(),
    types: "guard market-file",
    says: [
      /ok {4}USDL: chainlink live 0x[0-9a-fA-F]{40}: 1 USD, \d+ s old/,
      "SPYx: scaled: factor 1.0057 by erc-8056",
      /agrees with the chain\.$/,
    ],
    saysNot: ["FAULT"],
  },
  bent(
    "decimals that are not the token's",
    (file) => Object.assign(asset(file, "USDL"), { decimals: 18 }),
    /has 6 decimals, not 18/,
  ),
  bent(
    "a symbol that is another token's",
    (file) => Object.assign(asset(file, "AAPLx"), { symbol: "AAPLon" }),
    /calls itself AAPLx/,
  ),
  bent(
    "an address without code",
    (file) => {
      const nowhere = { address: ZeroAddress, assetKey: `eip155:31337:${ZeroAddress}` };
      Object.assign(asset(file, "GMEx"), nowhere);
    },
    /no contract is there/,
  ),
  bent(
    "a router that lacks the function of its kind",
    (file) => {
      const selector = ROUTE_SELECTORS["uniswap-v3-router02"];
      Object.assign(v3(file), { kind: "uniswap-v3-router02", selector });
    },
    /has no function 0x04e45aaf/,
  ),
  bent(
    "a fee tier that the factory does not have",
    (file) => v3(file).feeTiers.push(2_500),
    /no fee tier 2500/,
  ),
  bent(
    "a factory that is not the router's",
    (file) => Object.assign(v3(file), { factory: file.registry.routes[0]!.factory }),
    /the router has another factory/,
  ),
  bent(
    "a quoter that is not there",
    (file) => Object.assign(v3(file), { quoter: ZeroAddress }),
    /quoter has another factory, or is not there/,
  ),
  bent(
    "pools that stand elsewhere than they would by the file",
    (file) => Object.assign(v3(file).pools!, { initCodeHash: KNOWN_ID }),
    /the pool of \w+ and USDL is 0x\w+, and by pools it is 0x/,
  ),
  bent(
    "a feed id that does not answer",
    (file) => Object.assign(sourceOf(asset(file, "AAPLx"), "pyth"), { feedId: KNOWN_ID }),
    /AAPLx: pyth live 0x\w+ has no price/,
  ),
  bent(
    "a feed that counts in other decimals",
    (file) => Object.assign(sourceOf(asset(file, "AAPLx"), "chainlink"), { decimals: 18 }),
    /AAPLx: chainlink live 0x\w+ has no price, or other decimals/,
  ),
  bent(
    "a stock without a kind",
    (file) => delete asset(file, "TSLAx").tokenKind,
    /no tokenKind: every policy denies/,
  ),
  bent(
    "a layout that is not the token's",
    (file) => Object.assign(asset(file, "SPYx").multiplierLayout!, { newUIMultiplier: KNOWN_ID }),
    /SPYx: .*multiplierLayout: the slot holds something else than the shares factor/,
  ),
  bent(
    "a layout of a token that says nothing",
    (file) => Object.assign(asset(file, "SPYx"), { tokenSources: [] }),
    /multiplierLayout, and says nothing that it could prove/,
  ),
  bent(
    "a stock of which nobody says anything",
    (file) => Object.assign(asset(file, "TSLAx"), { tokenSources: [] }),
    /no source states its factor/,
  ),
  bent(
    "a dollar token without a price",
    (file) => Object.assign(asset(file, "USDL"), { priceSources: [] }),
    /USDL: no live price is named/,
  ),
  {
    name: "asks Pyth's catalog for the ids of its service, once a name",
    files: fileOf(fed(KNOWN_ID)),
    options: catalog,
    types: "guard market-file",
    after: () => {
      const url = "https://pyth.dourolabs.app/hermes/v2/price_feeds?query=AAPL";
      expect(asked.splice(0)).to.deep.equal([url]);
    },
  },
  {
    name: "finds a feed that Pyth's catalog does not have",
    files: fileOf(fed(`0x${"cd".repeat(32)}`)),
    options: catalog,
    types: "guard market-file",
    code: 1,
    says: ["has no feed 0xcdcd"],
  },
  {
    name: "says where Pyth's catalog does not answer",
    files: fileOf(fed(KNOWN_ID)),
    types: "guard market-file",
    code: 1,
    says: ["catalog does not answer"],
  },
  {
    name: "notes what a policy can never allow, without calling it a fault",
    files: fileOf((file) => {
      const stock = asset(file, "AAPLx");
      stock.priceSources = [sourceOf(stock, "pyth")];
    }),
    types: "guard market-file",
    says: [
      "note  AAPLx: one live source; STRICT_LIVE needs two and always denies",
      "note  AAPLx: no publisher of signed prices is named; STRICT_LIVE always denies",
      "note  AAPLx: no last close is named; LAST_CLOSE always denies",
    ],
  },
  {
    name: "says where it looked when there is no file",
    types: "guard market-file --file $DIR/missing.json",
    code: 2,
    says: ["missing.json", "56.market.example.json"],
  },
];

describe("guard market-file", () => adminTable(testWorld(), ROWS));

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
