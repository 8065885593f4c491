import { expect } from "chai";
import { type ContractFactory, id } from "ethers";
import { TokenFacts } from "../../../attestor/evidence/facts.ts";
import { sharesPerUnit } from "../../../attestor/shares.ts";
import type { ChainTokenSource } from "../../../attestor/sources.ts";
import { factorOnChain, mergedFacts, readToken } from "../../../chain/facts/token.ts";
import { BackedFacts__factory } from "../../../types/contracts/factories/test/support/contracts/IssuerFacts.sol/BackedFacts__factory.ts";
import { OndoFacts__factory } from "../../../types/contracts/factories/test/support/contracts/IssuerFacts.sol/OndoFacts__factory.ts";
import { PlainMultiplier__factory } from "../../../types/contracts/factories/test/support/contracts/IssuerFacts.sol/PlainMultiplier__factory.ts";
import { UNKNOWN_TOKEN } from "../../attestor/fixtures.ts";
import { walletOf } from "../../support/service.ts";
import { testWorld } from "../../support/world.ts";

const ONE = 10n ** 18n;

describe("facts of a token on the chain", () => {
  const world = testWorld();
  const deployer = () => walletOf(world, 8);

  async function deploy(factory: ContractFactory): Promise<string> {
    const contract = await factory.connect(deployer()).deploy();
    await contract.waitForDeployment();
    return await contract.getAddress();
  }

  async function factsOf(token: string, ...sources: ChainTokenSource[]) {
    const block = (await world.provider.getBlock("latest"))!;
    const all = await readToken(
      {
        provider: world.provider,
        source: "live",
        token,
        chain: { blockNumber: block.number, blockTimestamp: block.timestamp },
        receivedAt: block.timestamp,
      },
      sources,
    );
    const facts = mergedFacts(all);
    // Any answer of a contract fits into evidence.
    expect(TokenFacts.parse(facts)).to.deep.equal(facts);
    const statements = [facts.factor, facts.announcement, ...facts.halts].filter((stated) => stated !== null);
    for (const { blockNumber, rawHash } of statements) {
      expect(blockNumber).to.equal(block.number);
      expect(rawHash).to.match(/^0x[0-9a-f]{64}$/);
    }
    return { facts, now: block.timestamp };
  }

  it("facts of a token on the chain are the multiplier and the announced change of an ERC-8056 token, and a flag of its own for halts", async () => {
    const { facts } = await factsOf(
      world.token("SPYx"),
      { source: "erc-8056" },
      { source: "halt-flag", function: "tradingHalted" },
    );
    expect(facts.factor).to.include({ provider: "erc-8056", value: "1.0057" });
    expect(facts.announcement?.change).to.equal(null);
    const [own, other] = await Promise.all(
      [world.assetKey("SPYx"), world.assetKey("USDL")].map((key) => factorOnChain(world, key)),
    );
    expect([own, other]).to.deep.equal(["1.0057", null]);
    expect(facts.halts.map(({ provider, halted }) => [provider, halted])).to.deep.equal([
      ["tradingHalted", false],
    ]);
  });

  it("facts of a token on the chain are Backed's multiplier with its schedule, which is no part of a rebasing token's shares", async () => {
    const address = await deploy(new BackedFacts__factory());
    const token = BackedFacts__factory.connect(address, deployer());
    const { now } = await factsOf(address, { source: "backed" });
    const activation = now + 5_000;
    await (await token.set(1_005_700_000_000_000_000n, 10n * ONE, activation, true)).wait();
    const { facts } = await factsOf(
      address,
      { source: "backed" },
      { source: "halt-flag", function: "isPaused" },
    );
    expect(facts.factor).to.include({ provider: "backed", value: "1.0057" });
    expect(facts.announcement?.change).to.deep.equal({ value: "10", effectiveAt: activation });
    expect(facts.halts[0]?.halted).to.equal(true);
    expect(sharesPerUnit("rebasing", "raw", facts.factor!.value)).to.equal("1");

    await (await token.set(ONE, ONE, 0, false)).wait();
    expect((await factsOf(address, { source: "backed" })).facts.announcement?.change).to.equal(null);
  });

  it("leave the announcement unknown where an older token has a multiplier and no schedule", async () => {
    const { facts } = await factsOf(await deploy(new PlainMultiplier__factory()), { source: "backed" });
    expect(facts.factor?.value).to.equal("1.0057");
    expect(facts.announcement).to.equal(null);
  });

  it("facts of a token on the chain are Ondo's sValue, the pending one from its pause on, and a halt while the pause lasts", async () => {
    const oracle = await deploy(new OndoFacts__factory());
    const asset = world.token("TSLAx");
    const source = { source: "ondo-oracle", address: oracle } as const;
    const contract = OndoFacts__factory.connect(oracle, deployer());
    const set = async (sValue: bigint, pendingSValue: bigint, pauseStartTime: number, lastUpdate = 1) => {
      const data = {
        sValue,
        pendingSValue,
        lastUpdate,
        pauseStartTime,
        allowedDriftBps: 100,
        driftCooldown: 86_400,
      };
      await (await contract.set(asset, data)).wait();
    };
    // An asset that the oracle does not have: it reverts.
    expect((await factsOf(asset, source)).facts).to.deep.equal(UNKNOWN_TOKEN);

    await set(1_003_000_000_000_000_000n, 0n, 0);
    const calm = await factsOf(asset, source);
    expect(calm.facts.factor).to.include({ provider: "ondo-oracle", value: "1.003" });
    expect(calm.facts.announcement?.change).to.equal(null);
    expect(calm.facts.halts.map(({ halted }) => halted)).to.deep.equal([false]);

    await set(ONE, 10n * ONE, calm.now + 9_000);
    const scheduled = await factsOf(asset, source);
    expect(scheduled.facts.announcement?.change).to.deep.equal({
      value: "10",
      effectiveAt: calm.now + 9_000,
    });
    expect(scheduled.facts.halts[0]?.halted).to.equal(false);

    await set(ONE, 10n * ONE, calm.now - 100_000);
    expect((await factsOf(asset, source)).facts.halts[0]?.halted).to.equal(true);

    // A pending value without a time can come at any moment.
    await set(ONE, 10n * ONE, 0);
    const any = await factsOf(asset, source);
    expect(any.facts.announcement?.change).to.deep.equal({ value: "10", effectiveAt: any.now + 1 });

    await set(0n, 0n, 0);
    expect((await factsOf(asset, source)).facts.factor).to.equal(null);
  });

  it("facts of a token on the chain are the first word for each fact, and everybody's word about halts", async () => {
    const oracle = await deploy(new OndoFacts__factory());
    const { facts } = await factsOf(
      world.token("AAPLx"),
      { source: "backed" },
      { source: "ondo-oracle", address: oracle },
      { source: "erc-8056" },
      { source: "halt-flag", function: "paused" },
      { source: "halt-flag", function: "tradingHalted" },
    );
    expect(facts.factor?.provider).to.equal("erc-8056");
    expect(facts.halts).to.have.length(1);
  });

  it("facts of a token on the chain are unknown where there is no contract, and where it has none of these functions", async () => {
    const sources: ChainTokenSource[] = [
      { source: "erc-8056" },
      { source: "backed" },
      { source: "ondo-oracle", address: world.token("USDL") },
      { source: "halt-flag", function: "paused" },
    ];
    for (const token of [`0x${id("nobody").slice(26)}`, world.token("USDL")]) {
      const { facts } = await factsOf(token, ...sources);
      expect(facts).to.deep.equal(UNKNOWN_TOKEN);
    }
  });
});
