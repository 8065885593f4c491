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

  const refused: Record<string, Bend> = {
    "no assets": (registry) => (registry.assets = []),
    "no routes": (registry) => (registry.routes = []),
    "an asset of another chain": ({ assets: [stock] }) => (stock.chainId = 1),
    "a route of another chain": ({ routes: [v2] }) => (v2.chainId = 1),
    "a stock without an underlying": ({ assets: [stock] }) => (stock.underlying = null),
    "an empty underlying": ({ assets: [stock] }) => (stock.underlying = ""),
    "a settlement token with an underlying": ({ assets: [, dollar] }) => (dollar.underlying = "USD"),
    "a broken address": ({ assets: [stock] }) => (stock.address = "0x12"),
    "a broken address in a key": ({ assets: [stock] }) => (stock.assetKey = "eip155:31337:0x12"),
    "an unknown kind of route": ({ routes: [v2] }) => (v2.kind = "curve"),
    "a route of V3 without fee tiers": ({ routes: [, v3] }) => (v3.feeTiers = []),
    "fractions of a decimal": ({ assets: [stock] }) => (stock.decimals = 1.5),
    "an unknown member": ({ assets: [stock] }) => (stock.price = "1"),
    "an asset twice": ({ assets }) => assets.push(assets[0]),
    "a route twice": ({ routes }) => routes.push({ ...routes[0], name: "again" }),
    "a key that names another token": ({ assets: [stock] }) => (stock.assetKey = DOLLAR_KEY),
    "a wrong checksum": ({ assets: [stock] }) =>
      (stock.address = STOCK.replace(/[a-f]/, (c) => c.toUpperCase())),
  };
  for (const [name, bend] of Object.entries(refused))
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
