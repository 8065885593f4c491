/** What STRICT_LIVE denies, each for its own named finding, through the API on the real chain. */
import { expect } from "chai";
import { deniedBy, testService } from "../../support/service.ts";
import { testWorld } from "../../support/world.ts";

describe("STRICT_LIVE", () => {
  const world = testWorld();
  const service = testService(world);
  // The market as it is when nothing is wrong, with its own prices.
  beforeEach(async () => {
    await world.tick();
    await service.recordLiquidity();
  });

  const reportOf = async (changes?: Record<string, unknown>) => (await service.newJob(changes)).report;

  const priceOf = async (symbol: string): Promise<number> => {
    const { evidence } = await reportOf({ outputAssetKey: world.assetKey(symbol) });
    return Number(evidence.figures.referencePriceUsd);
  };

  /** Publishes, once the service asks for signed prices again. */
  const published = async (symbol: string, price: number, only?: "pyth") => {
    world.clock.advance(4_000);
    await world.publishReference(symbol, price, undefined, only);
  };

  it("STRICT_LIVE denies a trade whose reference price is stale", async () => {
    world.clock.advance(61_000);
    await world.mine();
    const report = await reportOf();
    expect(report.decision).to.equal("DENY");
    expect(deniedBy(report)).to.deep.equal(["reference-age"]);
  });

  it("STRICT_LIVE denies while one of two sources is stale, and allows as soon as both are fresh", async () => {
    const price = await priceOf("AAPLx");
    world.clock.advance(61_000);
    await world.publishReference("AAPLx", price, undefined, "pyth");
    expect(deniedBy(await reportOf())).to.deep.equal(["reference-age"]);
    await world.publishReference("AAPLx", price, undefined, "chainlink");
    expect(deniedBy(await reportOf())).to.deep.equal([]);
  });

  it("STRICT_LIVE denies a trade whose reference sources disagree", async () => {
    const price = await priceOf("AAPLx");
    await published("AAPLx", price * 1.006, "pyth");
    expect(deniedBy(await reportOf())).to.deep.equal(["reference-agreement"]);
  });

  it("STRICT_LIVE denies a trade of a halted token", async () => {
    await world.setHalted("AAPLx", true);
    expect(deniedBy(await reportOf())).to.deep.equal(["trading-halt"]);
    await world.setHalted("AAPLx", false);
    expect(deniedBy(await reportOf())).to.deep.equal([]);
  });

  it("STRICT_LIVE denies a premium over the limit to the buyer, and not to the seller", async () => {
    const price = await priceOf("AAPLx");
    await published("AAPLx", price * 0.98);
    expect(deniedBy(await reportOf())).to.deep.equal(["premium"]);
    const sale = {
      inputAssetKey: world.assetKey("AAPLx"),
      outputAssetKey: world.assetKey("USDL"),
      amountInRaw: (10n ** 18n).toString(),
    };
    expect(deniedBy(await reportOf(sale))).to.deep.equal([]);
    await published("AAPLx", price * 1.02);
    expect(deniedBy(await reportOf(sale))).to.deep.equal(["premium"]);
    expect(deniedBy(await reportOf())).to.deep.equal([]);
  });

  it("STRICT_LIVE judges the premium per share, not per token", async () => {
    const report = await reportOf({ outputAssetKey: world.assetKey("SPYx") });
    expect(report.evidence.figures.sharesPerToken).to.equal("1.0057");
    const { blockNumber } = report.evidence.chain;
    const factor = { provider: "erc-8056", source: "simulated", blockNumber, value: "1.0057" };
    expect(report.evidence.token.factor).to.include(factor);
    expect(Math.abs(Number(report.evidence.figures.premiumBps))).to.be.lessThan(57);
    // As if a token were only worth 0.95 shares: the same price is now 5 % too much.
    await world.setSharesPerToken("SPYx", 95n * 10n ** 16n);
    expect(deniedBy(await reportOf({ outputAssetKey: world.assetKey("SPYx") }))).to.include("premium");
  });

  it("STRICT_LIVE denies from an hour before an announced change of the shares until an hour after it", async () => {
    const now = () => Math.floor(world.clock.now() / 1000);
    const change = now() + 7_200;
    await world.scheduleSharesPerToken("NVDAx", 10n * 10n ** 18n, change);
    const nvidia = () => reportOf({ outputAssetKey: world.assetKey("NVDAx") });
    expect(deniedBy(await nvidia())).to.deep.equal([]);
    await world.tick(7_200 - 3_600);
    const denied = await nvidia();
    expect(deniedBy(denied)).to.include("corporate-action");
    expect(denied.evidence.token.announcement.change).to.deep.equal({ value: "10", effectiveAt: change });
    expect(denied.evidence.figures.sharesPerToken).to.equal("1");
    await world.tick(3_600);
    const made = await nvidia();
    expect(made.evidence.figures.sharesPerToken).to.equal("10");
    expect(deniedBy(made)).to.include("corporate-action");
    await world.tick(3_700);
    expect(deniedBy(await nvidia())).not.to.include("corporate-action");
  });

  it("STRICT_LIVE denies a dollar token at 0.97, and where a single source has it there", async () => {
    await published("USDL", 0.97);
    const report = await reportOf();
    expect(report.decision).to.equal("DENY");
    expect(deniedBy(report)).to.deep.equal(["settlement-peg"]);
    expect(report.evidence.figures.settlementPriceUsd).to.equal("0.97");
    // The premium counts in US dollars: the same quote is 300 bps cheaper than with a dollar at its peg.
    expect(Number(report.evidence.figures.premiumBps)).to.be.within(-360, -240);
    await published("USDL", 1);
    expect(deniedBy(await reportOf())).to.deep.equal([]);
    await world.publishReference("USDL", 0.97, undefined, "chainlink");
    expect(deniedBy(await reportOf())).to.include("settlement-peg");
  });

  it("STRICT_LIVE denies when every route was taken off the allowlist, and goes another way while one is left", async () => {
    const [first] = [(await reportOf()).evidence.quote];
    await world.setRoute(first.route, first.selector, false);
    const second = await reportOf();
    expect(second.evidence.quote.route).not.to.equal(first.route);
    for (const { address, selector } of world.deployment.registry.routes)
      await world.setRoute(address, selector, false);
    const report = await reportOf();
    expect(report.decision).to.equal("DENY");
    expect(deniedBy(report)).to.deep.equal(["route"]);
    for (const { address, selector } of world.deployment.registry.routes)
      await world.setRoute(address, selector, true);
    expect(deniedBy(await reportOf())).to.deep.equal([]);
  });

  it("STRICT_LIVE denies a recipient that the guard does not allow", async () => {
    const elsewhere = { recipientAddress: world.accounts.users[5]!.address };
    expect(deniedBy(await reportOf(elsewhere))).to.deep.equal(["recipient"]);
  });

  it("STRICT_LIVE denies a trade that no pool can carry", async () => {
    const absurd = await reportOf({ amountInRaw: (2n ** 256n - 1n).toString() });
    expect(absurd.evidence.quote).to.equal(null);
    expect(deniedBy(absurd)).to.include.members(["route", "impact", "minimum-output", "premium"]);
  });

  it("STRICT_LIVE denies while there are too few liquidity samples", async () => {
    await service.server.service.db.deleteFrom("impact_samples").execute();
    await service.server.service.db.deleteFrom("liquidity_scores").execute();
    world.clock.advance(31_000);
    await world.tick();
    expect(deniedBy(await reportOf())).to.have.members(["liquidity-grade", "liquidity-samples"]);
  });

  it("STRICT_LIVE denies when the chain has stopped", async () => {
    const price = await priceOf("AAPLx");
    world.clock.advance(61_000);
    const ahead = Math.floor(world.clock.now() / 1000);
    world.clock.advance(-61_000);
    await world.publishReference("AAPLx", price, ahead);
    world.clock.advance(61_000);
    expect(deniedBy(await reportOf())).to.deep.equal(["quote-age"]);
  });
});
