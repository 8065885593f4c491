/** Where contracts keep what is proved of them: by the compiler, and as a token says and as it does not. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect } from "chai";
import { JsonRpcProvider, parseEther, toBeHex } from "ethers";
import { guardSlots } from "../../../attestor/proofs/layout.ts";
import { unixSeconds } from "../../../devnet/clock.ts";
import { chainBehind } from "../../support/caches.ts";
import { ofSuite } from "../../support/suite.ts";
import { purchaseIn, testWorld } from "../../support/world.ts";

const ROOT = join(import.meta.dirname, "../../..");
const require = createRequire(import.meta.url);

/** Slot, offset and type of each variable of a contract, as the compiler lays them out. */
function compiledLayout(
  file: string,
  contract: string,
): Map<string, { slot: string; offset: number; type: string }> {
  const { compile } = require("solc") as { compile(input: string, callbacks: object): string };
  const read = (path: string) =>
    readFileSync(join(ROOT, path.startsWith("@") ? "node_modules" : "", path), "utf8");
  const input = {
    language: "Solidity",
    sources: { [file]: { content: read(file) } },
    settings: { outputSelection: { [file]: { [contract]: ["storageLayout"] } } },
  };
  const output = JSON.parse(
    compile(JSON.stringify(input), { import: (path: string) => ({ contents: read(path) }) }),
  );
  const { storage } = output.contracts[file][contract].storageLayout;
  return new Map(storage.map(({ label, ...place }: any) => [label, place]));
}

describe("layouts of storage", () => {
  const world = testWorld();
  const provider = ofSuite(async () => {
    const options = { batchMaxCount: 1, cacheTimeout: -1 };
    return new JsonRpcProvider(world.url, world.deployment.chainId, options);
  });

  describe("the layout of the guard", () => {
    it("reads the guard's storage by the compiler's layout", () => {
      const layout = compiledLayout("contracts/TradeGuard.sol", "TradeGuard");
      const slot = (name: string) => toBeHex(layout.get(name)!.slot, 32);
      expect(slot("signer")).to.equal(guardSlots.signerAndPaused);
      expect([layout.get("signer")?.offset, layout.get("paused")?.offset]).to.deep.equal([0, 20]);
      expect(slot("paused")).to.equal(guardSlots.signerAndPaused);
      expect([layout.get("isRouteAllowed")?.slot, layout.get("isRecipientAllowed")?.slot]).to.deep.equal([
        "4",
        "5",
      ]);
    });
  });

  describe("the multiplier of a token", () => {
    it("the multiplier of a token stands where the compiler puts it, a whole word each", () => {
      const compiled = compiledLayout("devnet/contracts/LocalStock.sol", "LocalStock");
      const stocks = world.deployment.registry.assets.filter(({ kind }) => kind === "stock");
      const word = (label: string) => {
        const { slot, type } = compiled.get(label)!;
        expect(type).to.equal("t_uint256");
        return toBeHex(slot, 32);
      };
      for (const { multiplierLayout } of stocks)
        expect(multiplierLayout).to.deep.equal({
          uiMultiplier: word("_multiplier"),
          newUIMultiplier: word("_nextMultiplier"),
          effectiveAt: word("effectiveAt"),
        });
    });

    /** Facts of a trade, with parts of the layout as a registry might have them. */
    const askedWith = (layout: object = {}, warn: (line: string) => void = expect.fail) => {
      const { registry } = world.deployment;
      const assets = registry.assets.map((asset) =>
        asset.kind === "stock"
          ? { ...asset, multiplierLayout: { ...asset.multiplierLayout!, ...layout } }
          : asset,
      );
      const deployment = { ...world.deployment, registry: { ...registry, assets } };
      const chain = chainBehind({ deployment }, provider, warn);
      const intent = { ...purchaseIn(world), recipientAddress: purchaseIn(world).ownerAddress };
      return async () => (await chain.facts(intent, unixSeconds(world.clock))).facts;
    };

    it("the multiplier of a token that changes between two blocks by time alone is proved at each by its own time", async () => {
      const factsNow = askedWith();
      const before = (await factsNow()).token.factor!.value;
      const effectiveAt = unixSeconds(world.clock) + 100;
      await world.scheduleSharesPerToken("AAPLx", parseEther("2"), effectiveAt);
      const announced = await factsNow();
      world.clock.set(effectiveAt * 1_000);
      await world.mine();
      const matured = await factsNow();
      expect(announced.chain.blockTimestamp).to.be.below(effectiveAt);
      expect(matured.chain.blockTimestamp).to.equal(effectiveAt);
      for (const [{ token }, value] of [
        [announced, before],
        [matured, "2"],
      ] as const) {
        expect(token.factor?.value).to.equal(value);
        expect(token.announcement?.change).to.deep.equal({ value: "2", effectiveAt });
        expect(token.layout).to.deep.equal(world.deployment.registry.assets[0]?.multiplierLayout);
      }
      await world.setSharesPerToken("AAPLx", parseEther(before));
    });

    it("the multiplier of a token whose storage says otherwise than the token is observed, with a warning, and the rest stays proved", async () => {
      for (const name of ["uiMultiplier", "newUIMultiplier", "effectiveAt"]) {
        const lines: string[] = [];
        const factsNow = askedWith({ [name]: toBeHex(2, 32) }, (line) => lines.push(line));
        for (const _ of ["a block", "another"]) {
          await world.mine();
          const { token, proofs } = await factsNow();
          // With nothing announced the slot of before the change decides nothing.
          expect([token.layout === null, proofs === null]).to.deep.equal([name !== "uiMultiplier", false]);
        }
        expect(lines.length).to.equal(name === "uiMultiplier" ? 0 : 1);
      }
    });
  });
});
