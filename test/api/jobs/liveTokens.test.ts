/** Tokens of each issuer in the live profile: who states their shares, their changes and their halts. */
import { expect } from "chai";
import { OndoFacts__factory } from "../../../types/contracts/factories/test/support/contracts/IssuerFacts.sol/OndoFacts__factory.ts";
import { testLiveProfile } from "../../support/liveProfile.ts";
import { deniedBy, type Service, walletOf } from "../../support/service.ts";

const ONE = 10n ** 18n;
/** Shares of a token, with 18 decimals. */
const ONDO_SHARES = (ONE * 1_005n) / 1_000n;

describe("the live profile with tokens of other issuers", () => {
  const { world, providers, serviceOf, letAnswersExpire, setSharePrice, agreeWithPool } = testLiveProfile();

  const reportOf = async (asked: Service, changes?: object) => (await asked.newJob({ ...changes })).report;

  it("the live profile allows a token of Ondo by its oracle, counts its factor, and denies while the oracle pauses it", async () => {
    const deployed = await new OndoFacts__factory(walletOf(world, 8)).deploy();
    const oracle = await deployed.waitForDeployment();
    const address = await oracle.getAddress();
    const set = async (pendingSValue: bigint, pauseStartTime: number) => {
      const others = { lastUpdate: 1, allowedDriftBps: 100, driftCooldown: 0 };
      const data = { sValue: ONDO_SHARES, pendingSValue, pauseStartTime, ...others };
      await (await oracle.set(world.token("AAPLx"), data)).wait();
    };
    await set(0n, 0);
    await using ondo = await serviceOf("price-bearing", [{ source: "ondo-oracle", address }]);
    // A token is 1.005 shares, so at the same pool price a share costs less.
    await setSharePrice((await agreeWithPool(ondo)) / 1.005);
    const report = await reportOf(ondo);
    expect(deniedBy(report)).to.deep.equal([]);
    expect(report.evidence.figures.sharesPerToken).to.equal("1.005");
    expect(report.evidence.token.factor.blockNumber).to.equal(report.evidence.chain.blockNumber);
    expect(Math.abs(Number(report.evidence.figures.premiumBps))).to.be.lessThan(5);

    const now = Math.floor(world.clock.now() / 1000);
    for (const [pausedAt, check] of [
      [now + 600, "corporate-action"],
      [now - 100_000, "trading-halt"],
    ] as const) {
      await set(10n * ONE, pausedAt);
      await letAnswersExpire();
      expect(deniedBy(await reportOf(ondo))).to.deep.equal([check]);
    }
  });

  it("the live profile allows bStocks by the token's own multiplier and Binance's word that it trades", async () => {
    await using bstocks = await serviceOf("scaled", [{ source: "erc-8056" }, { source: "binance-rwa" }]);
    await agreeWithPool(bstocks);
    const report = await reportOf(bstocks);
    expect(deniedBy(report)).to.deep.equal([]);
    // The chain says it, so the provider's ratio is not asked for.
    expect(report.evidence.token.factor).to.include({ provider: "erc-8056", value: "1" });
    expect(report.evidence.token.halts[0]).to.include({ provider: "binance-rwa", halted: false });
    providers.says.status = "MARKET_PAUSED";
    await letAnswersExpire();
    expect(deniedBy(await reportOf(bstocks))).to.deep.equal(["trading-halt"]);
  });

  it("the live profile knows a ratio by Binance's list alone, and that it announces nothing", async () => {
    await using listed = await serviceOf("price-bearing", [{ source: "binance-rwa" }]);
    await setSharePrice((await agreeWithPool(listed)) / Number(providers.says.ratio));
    const report = await reportOf(listed);
    expect(report.evidence.figures.sharesPerToken).to.equal("1.0017152487959898");
    expect(deniedBy(report)).to.deep.equal(["corporate-action"]);
    expect(deniedBy(await reportOf(listed, { policyId: "LAST_CLOSE" }))).to.deep.equal([]);
  });
});
