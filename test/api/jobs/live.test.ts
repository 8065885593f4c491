/** The live profile: the same program on providers and a key of its own. The providers are a local server. */
import { expect } from "chai";
import { verifyReport } from "../../../attestor/verify/verify.ts";
import { localSigners } from "../../../devnet/hermes/update.ts";
import { testLiveProfile } from "../../support/liveProfile.ts";
import type { LiveFacts } from "../../support/providers/liveProviders.ts";
import { deniedBy } from "../../support/service.ts";
import { ofSuite } from "../../support/suite.ts";

describe("the live profile", () => {
  const { world, providers, serviceOf, letAnswersExpire, setSharePrice, agreeWithPool } = testLiveProfile();
  const warned: string[] = [];
  // xStocks on an EVM chain rebase: what the API calls a multiplier is in every amount already.
  const service = ofSuite(() =>
    serviceOf("rebasing", [{ source: "backed" }, { source: "xstocks", symbol: "AAPLx" }], {}, warned),
  );
  beforeEach(async () => {
    await world.tick(31);
    await agreeWithPool(service);
  });

  const reportOf = async (changes?: Record<string, unknown>) => (await service.newJob(changes)).report;
  const allowed = async (changes?: Record<string, unknown>) => {
    const report = await reportOf(changes);
    expect(deniedBy(report)).to.deep.equal([]);
    return report;
  };

  const AWAY = { asset: "stock", reason: "unreachable", rawHash: null };
  /** Of the token that is not Backed's. */
  const NO_BACKED = { ...AWAY, source: "backed", subject: "factor", reason: "no-answer" };
  const failuresOf = ({ evidence }: any) => evidence.failures.map(({ at, ...failure }: any) => failure);

  it("the live profile judges by the providers' prices, halts and multipliers, and by the calendar", async () => {
    const report = await allowed();
    const references = report.evidence.references.map(({ provider, kind }: any) => `${provider} ${kind}`);
    expect(references).to.deep.equal(["pyth live", "finnhub live", "finnhub close"]);
    expect(report.evidence.session).to.deep.equal({ source: "nyse-calendar", state: "regular" });
    const { factor, announcement, halts } = report.evidence.token;
    for (const stated of [factor, announcement, ...halts])
      expect(stated).to.include({ provider: "xstocks", source: "http", blockNumber: null });
    expect(factor.value).to.equal("1.0057");
    expect(report.evidence.figures.sharesPerToken).to.equal("1");
    const settlement = report.evidence.settlement.map(({ provider }: any) => provider);
    expect(settlement).to.deep.equal(["pyth", "chainlink"]);
    expect(failuresOf(report)).to.deep.equal([NO_BACKED]);
    // Providers see their keys, and nobody else does.
    const given = providers.asked.map(({ headers }) => headers.authorization);
    expect(given).to.include("Bearer pyth-s3cret");
    expect(JSON.stringify(report)).to.not.include("s3cret");
  });

  it("the live profile dates the last official close by the calendar", async () => {
    const report = await allowed({ policyId: "LAST_CLOSE" });
    const close = report.evidence.references.find(({ kind }: any) => kind === "close");
    // The world's Friday is in its regular session: the last close was on Thursday at 16:00 in New York.
    expect(new Date(close.publishedAt * 1000).toISOString()).to.equal("2025-11-13T21:00:00.000Z");
  });

  /** As the check of every minute asks. */
  const probeSigned = async () => await service.server.service.chain.probeSigned?.();

  it("the live profile hands on what Pyth's routers signed, so that anyone can check the price without asking Pyth", async () => {
    const report = await allowed();
    const [stock] = report.evidence.references;
    expect(stock).to.include({ provider: "pyth", source: "hermes" });
    expect(stock.signer.set).to.equal("test keys of the local world");
    const { steps, facts } = verifyReport(report);
    expect(facts.filter(({ name, kind }) => name.includes("price") && kind === "signed")).to.have.length(2);
    expect(steps.find(({ name }) => name === "signatures")?.outcome).to.equal("ok");
    await probeSigned();
  });

  it("the live profile states a price without signatures where those of the answer would convince nobody", async () => {
    const { index, privateKeys } = localSigners();
    providers.says.signedBy = { index, privateKeys: privateKeys.toReversed() };
    await letAnswersExpire();
    const report = await reportOf();
    expect(deniedBy(report)).to.deep.equal(["signed-references"]);
    expect(report.evidence.references.map(({ proof }: any) => proof)).to.deep.equal([null, null, null]);
    expect(verifyReport(report).steps.map(({ name }) => name)).to.not.include("price proofs");
    expect(await probeSigned().catch((error: Error) => error.message)).to.equal(
      "no publisher gives a signed price",
    );
  });

  it("the live profile never divides the price of a rebasing token by its multiplier", async () => {
    const { price } = providers.says;
    // The reference 101 bps below the pool, the multiplier 57 bps above one.
    await setSharePrice(price / 1.0105);
    const dear = await reportOf();
    expect(Number(dear.evidence.figures.premiumBps)).to.be.within(101, 109);
    expect(deniedBy(dear)).to.deep.equal(["premium"]);
    // After a split of 10 to 1: ten times the price is ten times the price.
    providers.says.multiplier = { currentMultiplier: "10.057" };
    await setSharePrice(price / 10.105);
    const absurd = await reportOf();
    expect(Number(absurd.evidence.figures.premiumBps)).to.be.greaterThan(90_000);
    expect(deniedBy(absurd)).to.deep.equal(["premium"]);
  });

  const split = (activationDateTime?: string) => ({ newMultiplier: "10.057", activationDateTime });
  const denials: readonly [what: string, checks: string[], change: (says: LiveFacts) => unknown][] = [
    [
      "near a change that the issuer announces",
      ["corporate-action"],
      (says) => (says.multiplier = split(new Date(world.clock.now() + 1_800_000).toISOString())),
    ],
    [
      "while the time of such a change is not told",
      ["corporate-action"],
      (says) => (says.multiplier = split()),
    ],
    [
      "while one of two sources has the dollar token off its peg",
      ["settlement-peg"],
      (says) => (says.dollar = 0.985),
    ],
    ["by a stale price", ["reference-age", "signed-references"], (says) => (says.pythAge = 120)],
    ["while prices disagree", ["reference-agreement"], (says) => (says.finnhub = says.price * 1.006)],
    ["while trading is halted", ["trading-halt"], (says) => (says.halted = true)],
  ];
  for (const [what, checks, change] of denials)
    it(`the live profile denies ${what}`, async () => {
      change(providers.says);
      await letAnswersExpire();
      expect(deniedBy(await reportOf())).to.deep.equal(checks);
    });

  it("the live profile asks a provider once for many jobs at a time", async () => {
    const before = providers.asked.length;
    await Promise.all(Array.from({ length: 8 }, () => reportOf()));
    expect(providers.asked.length - before).to.be.at.most(5);
  });

  it("the live profile warns once at its start of a publisher's missing key, and lists each source that has none as failed", async () => {
    const lines: string[] = [];
    await using keyless = await serviceOf("rebasing", [], { PYTH_HERMES_KEY: "", FINNHUB_KEY: "" }, lines);
    const ofKey = (all: string[]) => all.filter((line) => line.includes("set PYTH_HERMES_KEY ("));
    expect(ofKey(lines), lines.join("")).to.have.length(1);
    expect(ofKey(warned)).to.deep.equal([]);
    const { evidence } = (await keyless.newJob()).report;
    const lack = { asset: "stock", subject: "price", reason: "not-configured", rawHash: null };
    const failed = ["finnhub live AAPL", "finnhub close AAPL"];
    const failures = failed.map((source) => ({ ...lack, source, at: evidence.capturedAt }));
    expect(evidence.failures).to.deep.equal(failures);
  });

  const halt = { ...AWAY, source: "xstocks AAPLx", subject: "halt" };
  const price = { ...AWAY, subject: "price" };
  // The last, since a provider that failed often is left alone for a while.
  const absences: readonly [
    what: string,
    findings: string[],
    failures: object[],
    change: (says: LiveFacts) => unknown,
  ][] = [
    ["a source of halts", ["trading-halt unavailable"], [NO_BACKED, halt], (says) => (says.halted = null)],
    [
      "a source of prices",
      ["reference-sources fail", "failed-sources fail"],
      [{ ...price, source: "finnhub live AAPL" }, { ...price, source: "finnhub close AAPL" }, NO_BACKED],
      (says) => (says.finnhub = null),
    ],
  ];
  for (const [what, findings, failures, change] of absences)
    it(`the live profile denies while ${what} that the registry lists does not answer, and lists what failed`, async () => {
      change(providers.says);
      await letAnswersExpire();
      const report = await reportOf();
      const found = report.findings.map(({ check, outcome }: any) => `${check} ${outcome}`);
      expect(found.filter((finding: string) => !finding.endsWith(" pass"))).to.deep.equal(findings);
      expect(failuresOf(report)).to.deep.equal(failures);
      const { registry } = service.server.service.deployment;
      const { steps } = verifyReport(report, { registry });
      expect(steps.find(({ name }) => name === "registry")).to.include({ outcome: "ok" });
    });
});
