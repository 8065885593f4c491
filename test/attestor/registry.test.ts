import { expect } from "chai";
import { findAsset, parseRegistry, registryHash } from "../../attestor/registry.ts";
import { AttestorError } from "../../attestor/values/attestorErrors.ts";
import { canonicalHash } from "../../attestor/values/canonical.ts";
import { DOLLAR_KEY, REGISTRY, STOCK, STOCK_KEY } from "./fixtures.ts";

type Bend = (registry: any) => void;

function bent(bend: Bend): unknown {
  const copy = structuredClone(REGISTRY);
  bend(copy);
  return copy;
}

describe("the registry", () => {
  it("the registry is read as it was written", () => {
    expect(parseRegistry(structuredClone(REGISTRY))).to.deep.equal(REGISTRY);
  });

  it("hashes alike for addresses in any case", () => {
    const lower = bent(({ assets: [stock] }) => {
      stock.address = STOCK.toLowerCase();
      stock.assetKey = stock.assetKey.toLowerCase();
    });
    expect(registryHash(parseRegistry(lower))).to.equal(registryHash(REGISTRY));
  });

  it("hashes its canonical JSON, and otherwise when anything in it differs", () => {
    expect(registryHash(REGISTRY)).to.equal(canonicalHash(REGISTRY));
    const bends: Bend[] = [
      (registry) => (registry.version = "2026-09-22"),
      (registry) => (registry.assets[0].decimals = 17),
      (registry) => (registry.routes[1].feeTiers = [500]),
    ];
    for (const bend of bends)
      expect(registryHash(parseRegistry(bent(bend)))).to.not.equal(registryHash(REGISTRY));
  });

  it("finds assets of the registry by their key", () => {
    expect(findAsset(REGISTRY, STOCK_KEY)?.symbol).to.equal("ACMEx");
    expect(findAsset(REGISTRY, DOLLAR_KEY)?.kind).to.equal("settlement");
    expect(findAsset(REGISTRY, "eip155:1:0x")).to.equal(undefined);
  });

  const refused: [string, Bend][] = [
    ["no assets", (registry) => (registry.assets = [])],
    ["no routes", (registry) => (registry.routes = [])],
    ["an asset twice", (registry) => registry.assets.push(registry.assets[0])],
    ["a route twice", (registry) => registry.routes.push({ ...registry.routes[0], name: "again" })],
    ["an asset of another chain", (registry) => (registry.assets[0].chainId = 1)],
    ["a route of another chain", (registry) => (registry.routes[0].chainId = 1)],
    ["a key that names another token", (registry) => (registry.assets[0].assetKey = DOLLAR_KEY)],
    ["a stock without an underlying", (registry) => (registry.assets[0].underlying = null)],
    ["an empty underlying", (registry) => (registry.assets[0].underlying = "")],
    ["a settlement token with an underlying", (registry) => (registry.assets[1].underlying = "USD")],
    ["a broken address", (registry) => (registry.assets[0].address = "0x12")],
    ["a broken address in a key", (registry) => (registry.assets[0].assetKey = "eip155:31337:0x12")],
    [
      "a wrong checksum",
      (registry) => (registry.assets[0].address = STOCK.replace(/[a-f]/, (c) => c.toUpperCase())),
    ],
    ["an unknown kind of route", (registry) => (registry.routes[0].kind = "curve")],
    ["a route of V3 without fee tiers", (registry) => (registry.routes[1].feeTiers = [])],
    ["fractions of a decimal", (registry) => (registry.assets[0].decimals = 1.5)],
    ["an unknown member", (registry) => (registry.assets[0].price = "1")],
  ];
  for (const [name, bend] of refused)
    it(`refuses a registry with ${name}`, () => {
      expect(() => parseRegistry(bent(bend)))
        .to.throw(AttestorError)
        .with.property("code", "invalid_registry");
    });

  it("the registry is refused when it is no registry at all", () => {
    for (const value of [null, undefined, 1, "", [], {}, JSON.parse('{"__proto__":{}}')])
      expect(() => parseRegistry(value)).to.throw(AttestorError);
  });
});
