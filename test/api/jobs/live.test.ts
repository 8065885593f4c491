/** The live profile: the same program on providers and a key of its own. The providers are local servers. */
import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import type { Overrides } from "../../../api/open.ts";
import type { PriceSource, TokenSource } from "../../../attestor/sources.ts";
import { verifyReport } from "../../../attestor/verify/verify.ts";
import { localSigners, type PublishedPrice, signedUpdate } from "../../../devnet/hermes/update.ts";
import { UNLIMITED } from "../../../market/providers/limits.ts";
import { OndoFacts__factory } from "../../../types/contracts/factories/test/support/contracts/IssuerFacts.sol/OndoFacts__factory.ts";
import { loggerTo } from "../../support/http.ts";
import { lightKeystore, lightLogKeystore, newWallet } from "../../support/keystores.ts";
import { type FakeUpstream, json, startFakeUpstream } from "../../support/providers/upstream.ts";
import { deniedBy, rotateSigner, type Service, startService, walletOf } from "../../support/service.ts";
import { ofSuite, testFolder } from "../../support/suite.ts";
import { testWorld } from "../../support/world.ts";

const FEED_ID = `0x${"4e".repeat(32)}`;
const DOLLAR_FEED_ID = `0x${"d0".repeat(32)}`;
const ONE = 10n ** 18n;
const STOCK_PRICES: PriceSource[] = [
  { provider: "pyth-hermes", kind: "live", symbol: "AAPL", feedId: FEED_ID },
  { provider: "finnhub", kind: "live", symbol: "AAPL" },
  { provider: "finnhub", kind: "close", symbol: "AAPL" },
];

/** What stands for the tokens' own word; the local tokens are scaled ones with a factor of one. */
type Kind = "rebasing" | "scaled" | "price-bearing";

describe("the live profile", () => {
  const world = testWorld();
  const folder = testFolder("live");
  const providers = ofSuite(startFakeUpstream);
  let price: number;
  const sound = {
    pythAge: 2,
    finnhub: 1 as number | null,
    /** null: the list of halts cannot be had. */
    halted: false as boolean | null,
    dollar: 1,
    multiplier: {},
    ratio: "1.0017152487959898",
    status: "TRADING",
    /** The signers of Hermes' prices. */
    signedBy: localSigners(),
  };
  let says: typeof sound;
  /** Where Ondo's oracle stands. */
  let oracle: string;

  const answer: Parameters<FakeUpstream["reply"]>[0] = (asked, response) => {
    const now = Math.floor(world.clock.now() / 1000);
    const give = (body: unknown) => json(body)(asked, response);
    if (asked.path.startsWith("/v2/updates/price/latest"))
      return give(hermesAnswer(asked.query.getAll("ids[]").map((id) => published(`0x${id}`, now))));
    if (asked.path.startsWith("/build/api/v1/dex/market/rwa/tokens"))
      return give({
        code: 0,
        data: [
          {
            binanceChainId: "56",
            tokenContractAddress: world.token("AAPLx").toLowerCase(),
            tokenToShareRatio: says.ratio,
            tokenPrice: says.ratio,
            referencePrice: "1",
            statusInfo: { openState: says.status === "TRADING", reasonCode: says.status },
          },
        ],
      });
    if (asked.path.startsWith("/api/v1/quote"))
      return says.finnhub === null
        ? json({}, 500)(asked, response)
        : give({ c: says.finnhub, pc: price, t: now - 5 });
    if (asked.path.includes("/multiplier"))
      return give({
        currentMultiplier: "1.0057",
        newMultiplier: null,
        activationDateTime: null,
        ...says.multiplier,
      });
    if (says.halted === null) return json({}, 500)(asked, response);
    return give({
      nodes: [
        {
          symbol: "AAPLx",
          underlyingSymbol: "AAPL",
          isTradingHalted: says.halted,
          trading: null,
          deployments: [{ network: "BinanceSmartChain", address: world.token("AAPLx") }],
        },
      ],
      page: { currentPage: 0, hasNextPage: false },
    });
  };

  const published = (feedId: string, now: number): PublishedPrice => {
    const [usd, confidence, age] =
      feedId === DOLLAR_FEED_ID ? [says.dollar, 10n, 2] : [price, 1000n, says.pythAge];
    return { feedId, price: BigInt(Math.round(usd * 1e5)), confidence, exponent: -5, publishedAt: now - age };
  };
  const hermesAnswer = (prices: readonly PublishedPrice[]) => ({
    binary: {
      encoding: "hex",
      data: [Buffer.from(signedUpdate(prices, prices[0]!.publishedAt, says.signedBy)).toString("hex")],
    },
    parsed: prices.map(({ feedId, price: mantissa, confidence, exponent, publishedAt }) => ({
      id: feedId.slice(2),
      price: { price: `${mantissa}`, conf: `${confidence}`, expo: exponent, publish_time: publishedAt },
    })),
  });

  const service = ofSuite(async () => {
    await world.tick();
    providers.reply(answer);
    const key = newWallet();
    await writeFile(join(folder, "key.json"), await lightKeystore(key.privateKey, "open"));
    await writeFile(join(folder, "log.json"), await lightLogKeystore(randomBytes(32), "open"));
    oracle = await deployOracle();
    await rotateSigner(world, key.address);

    // xStocks on an EVM chain rebase: what the API calls a multiplier is in every amount already.
    return serviceOf("rebasing", [{ source: "backed" }, { source: "xstocks", symbol: "AAPLx" }]);
  });

  async function deployOracle(): Promise<string> {
    const contract = await new OndoFacts__factory(walletOf(world, 8)).deploy();
    return await (await contract.waitForDeployment()).getAddress();
  }

  /** The service with a stock of that kind, about which these are asked. */
  async function serviceOf(
    kind: Kind,
    tokenSources: TokenSource[],
    changes = {},
    overrides: Overrides = {},
  ): Promise<Service> {
    const { registry } = world.deployment;
    const dollar: PriceSource[] = [
      { provider: "pyth-hermes", kind: "live", symbol: "USDL", feedId: DOLLAR_FEED_ID },
      // Chainlink's dollar feed is on the chain.
      ...world.feeds("USDL").filter(({ provider }) => provider === "chainlink"),
    ];
    const assets = registry.assets.map((asset) =>
      asset.kind === "stock"
        ? { ...asset, tokenKind: kind, priceSources: STOCK_PRICES, tokenSources }
        : { ...asset, priceSources: dollar },
    );
    const deployment = { ...world.deployment, source: "live", registry: { ...registry, assets } };
    const file = join(folder, `${kind}-${tokenSources.length}.json`);
    await writeFile(file, JSON.stringify(deployment));
    const env = {
      ...keysIn("key.json"),
      DEPLOYMENT_FILE: file,
      PYTH_HERMES_KEY: "pyth-s3cret",
      PYTH_HERMES_URL: providers.url,
      FINNHUB_KEY: "finnhub-s3cret",
      FINNHUB_URL: providers.url,
      XSTOCKS_URL: providers.url,
      BINANCE_RWA_KEY: "binance:rwa-s3cret",
      BINANCE_RWA_URL: providers.url,
      ...changes,
    };
    // The providers are this suite's: nobody waits for a turn to ask.
    return startService(world, "sqlite::memory:", env, { providerLimits: UNLIMITED, ...overrides });
  }

  const keysIn = (file: string) => ({
    ASSAY_PROFILE: "live",
    ATTESTOR_PRIVATE_KEY: "",
    ATTESTOR_KEYSTORE: join(folder, file),
    ATTESTOR_KEYSTORE_PASSPHRASE: "open",
    LOG_KEYSTORE: join(folder, "log.json"),
    LOG_KEYSTORE_PASSPHRASE: "open",
    LOG_ORIGIN: "test.example/log",
  });

  beforeEach(async () => {
    // Past what the service keeps of the providers' answers.
    await world.tick(31);
    says = { ...sound };
    price = 1;
    price = says.finnhub = await poolPrice();
  });

  /** What the pool charges per token, as a quote of the chain tells it. */
  async function poolPrice(): Promise<number> {
    const { referenceAmountInRaw, referenceAmountOutRaw } = (await reportOf()).evidence.quote;
    await later();
    return Number(referenceAmountInRaw) / 1e6 / (Number(referenceAmountOutRaw) / 1e18);
  }

  const reportOf = async (changes: Record<string, unknown> = {}, asked = service) =>
    (await asked.newJob(changes)).report;

  /** The world's clock past what the service keeps of the providers' answers. */
  const later = async () => {
    world.clock.advance(31_000);
    await world.mine();
  };

  /** The references' price changes, at the pool's same one. */
  const divide = async (by: number) => {
    says.finnhub = price /= by;
    await later();
  };
  const deniedNow = async (changes: Record<string, unknown> = {}, asked = service) =>
    deniedBy(await reportOf(changes, asked));
  const allowed = async (changes: Record<string, unknown> = {}, asked = service) => {
    const report = await reportOf(changes, asked);
    expect(deniedBy(report)).to.deep.equal([]);
    return report;
  };

  const AWAY = { asset: "stock", reason: "unreachable", rawHash: null };
  /** Of the token that is not Backed's. */
  const NO_BACKED = { ...AWAY, source: "backed", subject: "factor", reason: "no-answer" };
  const timeless = ({ evidence }: any) => evidence.failures.map(({ at: _, ...failure }: any) => failure);

  it("judges by the providers' prices, halts and multipliers, and by the calendar", async () => {
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
    expect(timeless(report)).to.deep.equal([NO_BACKED]);
  });

  /** As the check of every minute asks. */
  const probeSigned = async () => await service.server.service.chain.probeSigned?.();

  it("hands on what Pyth's routers signed, so that anyone can check the price without asking Pyth", async () => {
    await later();
    const report = await allowed();
    const [stock] = report.evidence.references;
    expect(stock).to.include({ provider: "pyth", source: "hermes" });
    expect(stock.signer.set).to.equal("test keys of the local world");
    const { steps, facts } = verifyReport(report);
    expect(facts.filter(({ name, kind }) => name.includes("price") && kind === "signed")).to.have.length(2);
    expect(steps.find(({ name }) => name === "signatures")?.outcome).to.equal("ok");
    await probeSigned();
  });

  it("states a price without signatures where those of the answer would convince nobody", async () => {
    says.signedBy = { ...localSigners(), privateKeys: localSigners().privateKeys.toReversed() };
    await later();
    const report = await reportOf();
    expect(deniedBy(report)).to.deep.equal(["signed-references"]);
    expect(report.evidence.references.map(({ proof }: any) => proof)).to.deep.equal([null, null, null]);
    expect(verifyReport(report).steps.map(({ name }) => name)).to.not.include("price proofs");
    expect(await probeSigned().catch((error: Error) => error.message)).to.equal(
      "no publisher gives a signed price",
    );
  });

  it("never divides the price of a rebasing token by its multiplier", async () => {
    // The reference 101 bps below the pool, the multiplier 57 bps above one.
    await divide(1.0105);
    const dear = await reportOf();
    expect(Number(dear.evidence.figures.premiumBps)).to.be.within(101, 109);
    expect(deniedBy(dear)).to.deep.equal(["premium"]);
    // After a split of 10 to 1: ten times the price is ten times the price.
    says.multiplier = { currentMultiplier: "10.057" };
    await divide(10);
    const absurd = await reportOf();
    expect(Number(absurd.evidence.figures.premiumBps)).to.be.greaterThan(90_000);
    expect(deniedBy(absurd)).to.deep.equal(["premium"]);
  });

  it("denies near a change that the issuer's API announces, and while its time is not told", async () => {
    const soon = new Date(world.clock.now() + 1_800_000).toISOString();
    says.multiplier = { newMultiplier: "10.057", activationDateTime: soon };
    await later();
    expect(await deniedNow()).to.deep.equal(["corporate-action"]);
    says.multiplier = { newMultiplier: "10.057" };
    await later();
    expect(await deniedNow()).to.deep.equal(["corporate-action"]);
  });

  it("denies while one of two sources has the dollar token off its peg", async () => {
    says.dollar = 0.985;
    await later();
    expect(await deniedNow()).to.deep.equal(["settlement-peg"]);
  });

  it("allows a token of Ondo by its oracle, counts its factor, and denies while the oracle pauses it", async () => {
    const contract = OndoFacts__factory.connect(oracle, walletOf(world, 8));
    const set = async (sValue: bigint, pendingSValue: bigint, pauseStartTime: number) => {
      const others = { lastUpdate: 1, allowedDriftBps: 100, driftCooldown: 0 };
      const data = { sValue, pendingSValue, pauseStartTime, ...others };
      await (await contract.set(world.token("AAPLx"), data)).wait();
    };
    await set((ONE * 1_005n) / 1_000n, 0n, 0);
    await using ondo = await serviceOf("price-bearing", [{ source: "ondo-oracle", address: oracle }]);
    // A token is 1.005 shares, so at the same pool price a share costs less.
    await divide(1.005);
    const report = await allowed({}, ondo);
    expect(report.evidence.figures.sharesPerToken).to.equal("1.005");
    expect(report.evidence.token.factor.blockNumber).to.equal(report.evidence.chain.blockNumber);
    expect(Math.abs(Number(report.evidence.figures.premiumBps))).to.be.lessThan(5);

    const now = Math.floor(world.clock.now() / 1000);
    await set((ONE * 1_005n) / 1_000n, 10n * ONE, now + 600);
    await later();
    expect(await deniedNow({}, ondo)).to.deep.equal(["corporate-action"]);
    await set((ONE * 1_005n) / 1_000n, 10n * ONE, now - 100_000);
    await later();
    expect(await deniedNow({}, ondo)).to.deep.equal(["trading-halt"]);
  });

  it("allows bStocks by the token's own multiplier and Binance's word that it trades", async () => {
    await using bstocks = await serviceOf("scaled", [{ source: "erc-8056" }, { source: "binance-rwa" }]);
    await later();
    const report = await allowed({}, bstocks);
    // The chain says it, so the provider's ratio is not asked for.
    expect(report.evidence.token.factor).to.include({ provider: "erc-8056", value: "1" });
    expect(report.evidence.token.halts[0]).to.include({ provider: "binance-rwa", halted: false });
    says.status = "MARKET_PAUSED";
    await later();
    expect(await deniedNow({}, bstocks)).to.deep.equal(["trading-halt"]);
  });

  it("knows a ratio by Binance's list alone, and that it announces nothing", async () => {
    await using listed = await serviceOf("price-bearing", [{ source: "binance-rwa" }]);
    await divide(Number(says.ratio));
    const report = await reportOf({}, listed);
    expect(report.evidence.figures.sharesPerToken).to.equal("1.0017152487959898");
    expect(deniedBy(report)).to.deep.equal(["corporate-action"]);
    await allowed({ policyId: "LAST_CLOSE" }, listed);
  });

  it("dates the last official close by the calendar", async () => {
    const report = await allowed({ policyId: "LAST_CLOSE" });
    const close = report.evidence.references.find(({ kind }: any) => kind === "close");
    // The world's Friday is in its regular session: the last close was on Thursday at 16:00 in New York.
    expect(new Date(close.publishedAt * 1000).toISOString()).to.equal("2025-11-13T21:00:00.000Z");
  });

  it("denies a stale price, a disagreement and a halt", async () => {
    says.pythAge = 120;
    expect(await deniedNow()).to.deep.equal(["reference-age", "signed-references"]);
    await later();
    says = { ...says, pythAge: 2, finnhub: price * 1.006, halted: true };
    expect(await deniedNow()).to.deep.equal(["trading-halt", "reference-agreement"]);
  });

  it("asks a provider once for many jobs at a time", async () => {
    const before = providers.asked.length;
    await Promise.all(Array.from({ length: 8 }, () => reportOf()));
    expect(providers.asked.length - before).to.be.at.most(5);
  });

  it("keeps the providers' keys out of every answer", async () => {
    const { text } = await service.post("/v1/jobs", service.jobBody());
    expect(text).not.to.include("s3cret");
    const given = providers.asked.map(({ headers }) => headers.authorization);
    expect(given).to.include("Bearer pyth-s3cret");
  });

  // Last of those that ask providers: one that failed often is left alone for a while.
  it("denies while a source of halts that the registry lists does not answer", async () => {
    says.halted = null;
    await later();
    const report = await reportOf();
    expect(deniedBy(report)).to.deep.equal(["trading-halt"]);
    const { outcome } = report.findings.find(({ check }: any) => check === "trading-halt");
    expect(outcome).to.equal("unavailable");
    const halt = { ...AWAY, source: "xstocks AAPLx", subject: "halt" };
    expect(timeless(report)).to.deep.equal([NO_BACKED, halt]);
  });

  it("lists each source that it has no key for", async () => {
    await using keyless = await serviceOf("rebasing", [], { FINNHUB_KEY: "" });
    const { evidence } = await reportOf({}, keyless);
    const lack = { asset: "stock", subject: "price", reason: "not-configured", rawHash: null };
    const failed = ["finnhub live AAPL", "finnhub close AAPL"];
    const failures = failed.map((source) => ({ ...lack, source, at: evidence.capturedAt }));
    expect(evidence.failures).to.deep.equal(failures);
  });

  it("denies when a provider is away, says which check lacks its fact, and lists the sources that failed", async () => {
    says.finnhub = null;
    const report = await reportOf();
    expect(deniedBy(report)).to.deep.equal(["reference-sources", "failed-sources"]);
    const lack = { ...AWAY, subject: "price" };
    expect(timeless(report)).to.deep.equal([
      { ...lack, source: "finnhub live AAPL" },
      { ...lack, source: "finnhub close AAPL" },
      NO_BACKED,
    ]);
    const { registry } = service.server.service.deployment;
    const { steps } = verifyReport(report, { registry });
    expect(steps.find(({ name }) => name === "registry")).to.include({ outcome: "ok" });
  });

  it("logs one warning at its start without a publisher's key, and none with one", async () => {
    const lines: string[] = [];
    const logger = loggerTo(lines, "warn");
    for (const [PYTH_HERMES_KEY, count] of Object.entries({ "": 1, "pyth-s3cret": 0 })) {
      lines.length = 0;
      await (await serviceOf("rebasing", [], { PYTH_HERMES_KEY }, { logger })).stop();
      const warnings = lines.filter((line) => line.includes("set PYTH_HERMES_KEY ("));
      expect(warnings, lines.join("")).to.have.length(count);
    }
  });

  it("refuses a development key, whichever way it comes in", async () => {
    const keystore = await lightKeystore(world.accounts.attestation.privateKey, "open");
    await writeFile(join(folder, "dev.json"), keystore);
    const env = { ...keysIn("dev.json"), DEPLOYMENT_FILE: join(folder, "rebasing-2.json") };
    const error = await startService(world, "sqlite::memory:", env).catch((error: Error) => error);
    expect((error as Error).message).to.include("well-known development key");
    expect((error as Error).message).not.to.include(keystore.slice(20, 60));
  });
});
