import { expect } from "chai";
import { capabilityLines, unpricedReasons, unsignedWarning } from "../../../api/data/capabilities.ts";
import { findToken } from "../../../api/data/listing.ts";
import { announcement } from "../../../api/server.ts";
import type { Service } from "../../../api/service.ts";
import { type Config, parseConfig } from "../../../api/settings/config.ts";
import type { PriceSource } from "../../../attestor/sources.ts";
import type { Deployment } from "../../../chain/deployment.ts";
import { loadRegistry } from "../../../market/registry/registry.ts";
import { REGISTRY } from "../../support/http.ts";

const STOCK = REGISTRY.assets.find(({ kind }) => kind === "stock")!;
const feedId = `0x${"1".repeat(64)}`;

const listing = (priceSources: PriceSource[]) =>
  ({ registry: { ...REGISTRY, assets: [{ ...STOCK, priceSources }] } }) as Deployment;
const OVER_HTTP: PriceSource[] = [
  { provider: "pyth-hermes", kind: "live", symbol: "X", feedId },
  { provider: "finnhub", kind: "live", symbol: "X" },
  { provider: "finnhub", kind: "close", symbol: "X" },
];
/** Pyth on chain and over HTTP, Finnhub for the price and the close. */
const deployment = listing([
  { provider: "pyth", kind: "live", symbol: "X", address: STOCK.address, feedId },
  ...OVER_HTTP,
]);
const overHttpAlone = listing(OVER_HTTP);

describe("what the live profile says at its start", () => {
  it("the start of the live profile names the policies that can be met, and counts Pyth once", () => {
    const lines = capabilityLines(deployment, new Set(["pyth"]));
    expect(lines).to.include("STRICT_LIVE always denies: no token has enough signed reference sources");
    expect(lines).to.include("EXTENDED_HOURS has enough reference sources for 1 of 1 tokens");
    // Pyth's contract and Finnhub are two sources, of which nobody signs any.
    const unsigned = capabilityLines(deployment, new Set(["finnhub"]));
    expect(unsigned).to.include("STRICT_LIVE always denies: no token has enough signed reference sources");
    const both = capabilityLines(deployment, new Set(["pyth", "finnhub"]));
    expect(both).to.include("STRICT_LIVE has enough reference sources for 1 of 1 tokens");
  });

  it("the start of the live profile counts the sources without a key that fail in each judgement", () => {
    const streams = { provider: "chainlink-streams", kind: "live", symbol: "X", feedId } as const;
    const linesOf = (keys: Parameters<typeof unsignedWarning>[1]) =>
      capabilityLines(listing([...OVER_HTTP, streams]), keys).join("\n");
    expect(linesOf(new Set(["pyth"])))
      .to.include("EXTENDED_HOURS always denies")
      .and.to.match(/without FINNHUB_KEY: .*EXTENDED_HOURS always denies/);
    expect(linesOf(new Set(["pyth", "finnhub"]))).to.include("EXTENDED_HOURS has enough");
  });

  it("the start of the live profile says of each missing key what it costs", () => {
    const without = capabilityLines(overHttpAlone, new Set(["finnhub"]));
    const of = (lines: readonly string[], key: string) =>
      lines.find((line) => line.startsWith(`without ${key}`));
    expect(of(without, "PYTH_HERMES_KEY")).to.include("STRICT_LIVE always denies");
    expect(of(without, "FINNHUB_KEY")).to.equal(undefined);
    const none = capabilityLines(overHttpAlone, new Set());
    expect(of(none, "FINNHUB_KEY")).to.include("LAST_CLOSE always denies");
    expect(of(none, "BINANCE_RWA_KEY")).to.include("no premium");
  });

  it("the start of the live profile warns where no publisher of signed prices is configured, and says which settings are missing", () => {
    const warningOf = (providers: string[], keys: Parameters<typeof unsignedWarning>[1]) => {
      const sources = providers.map((provider) => ({ provider, kind: "live", symbol: "X", feedId }));
      return unsignedWarning(listing(sources as PriceSource[]), keys);
    };
    expect(warningOf(["pyth-hermes", "finnhub"], new Set(["finnhub"]))).to.match(
      /STRICT_LIVE denies every trade.*; set PYTH_HERMES_KEY \(docs/,
    );
    const both = ["pyth-hermes", "chainlink-streams"];
    expect(warningOf(both, new Set())).to.include("set PYTH_HERMES_KEY or CHAINLINK_STREAMS_KEY (");
    expect(warningOf(both, new Set(["chainlink-streams"]))).to.equal(null);
    // A key without feeds signs nothing.
    for (const providers of [["finnhub"], []])
      expect(warningOf(providers, new Set(["finnhub", "pyth"]))).to.include("add pyth-hermes or");
  });

  it("the start of the live profile says which tokens can have a premium, and why the others cannot", () => {
    const lines = capabilityLines(deployment, new Set());
    expect(lines.join("\n"))
      .to.match(/^premium: \d+ tokens of xstocks on solana$/m)
      .and.to.match(/^no premium: \d+ tokens of ondo on bnb: .*BINANCE_RWA_KEY$/m);
    const withRatios = capabilityLines(deployment, new Set(["binanceRwa"]));
    expect(withRatios.join("\n")).to.match(/^premium: \d+ tokens of ondo on bnb$/m);
  });

  it("the start of the live profile is printed where the service says that it serves, and in no other profile", () => {
    const local = parseConfig({ FINNHUB_KEY: "key" });
    const announced = (config: Config) =>
      announcement({
        url: "http://127.0.0.1:1",
        service: { config, deployment: overHttpAlone } as unknown as Service,
      });
    const live = announced({ ...local, profile: "live" });
    expect(live).to.match(/^Assay serves on http:\/\/127\.0\.0\.1:1\n {2}premium: /);
    expect(live).to.match(/\n {2}without PYTH_HERMES_KEY: STRICT_LIVE always denies; .*\n$/s);
    expect(announced(local)).to.equal("Assay serves on http://127.0.0.1:1\n");
  });

  it("a token that cannot be priced has its reason, by its key in the list", () => {
    const tokens = loadRegistry();
    const count = (env: Record<string, string>) => {
      const reasonOf = unpricedReasons(parseConfig(env));
      return tokens.filter((token) => reasonOf(token) !== null).length;
    };
    const ratios = tokens.filter(({ shares }) => shares === "ratio");
    expect(count({})).to.equal(ratios.length);
    const onSolana = ratios.filter(({ chain }) => chain === "solana").length;
    expect(count({ BINANCE_RWA_KEY: "key:secret" })).to.equal(onSolana);
  });

  it("a token whose symbol no endpoint takes is found by its address", () => {
    const tokens = loadRegistry();
    const berkshire = tokens.find(({ symbol }) => symbol === "BRK.Bx")!;
    const wanted = { symbol: "", chain: undefined, address: berkshire.address };
    expect(findToken(tokens, wanted)).to.equal(berkshire);
  });
});
