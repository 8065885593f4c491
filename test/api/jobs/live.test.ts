/** The live profile: the same program on providers and a key of its own. The providers are local servers. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { encryptKeystoreJson, Wallet } from "ethers";
import { TradeGuard__factory } from "../../../types/contracts/factories/contracts/TradeGuard__factory.ts";
import { type FakeUpstream, json, startFakeUpstream } from "../../support/providers/upstream.ts";
import { type Service, startService } from "../../support/service.ts";
import { createWorld, type TestWorld } from "../../support/world.ts";

const FEED_ID = `0x${"4e".repeat(32)}`;

describe("the live profile", () => {
  let world: TestWorld;
  let providers: FakeUpstream;
  let folder: string;
  let service: Service;
  let price: number;
  let says: { pythAge: number; finnhub: number | null; halted: boolean };

  const answer: Parameters<FakeUpstream["reply"]>[0] = (asked, response) => {
    const now = Math.floor(world.clock.now() / 1000);
    const give = (body: unknown) => json(body)(asked, response);
    if (asked.path.startsWith("/v2/updates/price/latest"))
      return give({
        parsed: [
          {
            id: FEED_ID.slice(2),
            price: {
              price: Math.round(price * 1e5).toString(),
              conf: "1000",
              expo: -5,
              publish_time: now - says.pythAge,
            },
          },
        ],
      });
    if (asked.path.startsWith("/api/v1/quote"))
      return says.finnhub === null
        ? json({}, 500)(asked, response)
        : give({ c: says.finnhub, pc: price, t: now - 5 });
    if (asked.path.includes("/multiplier"))
      return give({ currentMultiplier: "1", newMultiplier: null, activationDateTime: null });
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

  before(async function () {
    this.timeout(120_000);
    world = await createWorld();
    await world.tick();
    providers = await startFakeUpstream();
    providers.reply(answer);
    folder = await mkdtemp(join(tmpdir(), "assay-live-"));

    const key = Wallet.createRandom();
    await writeFile(
      join(folder, "key.json"),
      await encryptKeystoreJson({ address: key.address, privateKey: key.privateKey }, "open", {
        scrypt: { N: 2 },
      }),
    );
    const stock = world.assetKey("AAPLx");
    const deployment = {
      ...world.deployment,
      source: "live",
      references: {},
      offchain: {
        [stock]: {
          references: [
            { provider: "pyth-hermes", kind: "live", symbol: "AAPL", feedId: FEED_ID },
            { provider: "finnhub", kind: "live", symbol: "AAPL" },
            { provider: "finnhub", kind: "close", symbol: "AAPL" },
          ],
          token: { provider: "xstocks", symbol: "AAPLx" },
        },
      },
    };
    await writeFile(join(folder, "deployment.json"), JSON.stringify(deployment));
    const admin = new Wallet(world.accounts.deployer.privateKey, world.provider);
    await (
      await TradeGuard__factory.connect(world.deployment.guard, admin).rotateSigner(key.address, 0)
    ).wait();

    service = await startService(world, "sqlite::memory:", {
      ASSAY_PROFILE: "live",
      DEPLOYMENT_FILE: join(folder, "deployment.json"),
      ATTESTOR_PRIVATE_KEY: "",
      ATTESTOR_KEYSTORE: join(folder, "key.json"),
      ATTESTOR_KEYSTORE_PASSPHRASE: "open",
      PYTH_HERMES_KEY: "pyth-s3cret",
      PYTH_HERMES_URL: providers.url,
      FINNHUB_KEY: "finnhub-s3cret",
      FINNHUB_URL: providers.url,
      XSTOCKS_URL: providers.url,
    });
  });

  after(async () => {
    await service.stop();
    await providers.close();
    await world.stop();
    await rm(folder, { recursive: true, force: true });
  });

  beforeEach(async () => {
    // Past what the service keeps of the providers' answers.
    await world.tick(31);
    says = { pythAge: 2, finnhub: 1, halted: false };
    price = 1;
    price = await poolPrice();
    says = { pythAge: 2, finnhub: price, halted: false };
  });

  /** What the pool charges per token, as a quote of the chain tells it. */
  async function poolPrice(): Promise<number> {
    const { evidence } = (await service.post("/v1/jobs", service.jobBody())).body.report;
    world.clock.advance(31_000);
    await world.mine();
    return (
      Number(evidence.quote.referenceAmountInRaw) /
      1e6 /
      (Number(evidence.quote.referenceAmountOutRaw) / 1e18)
    );
  }

  const reportOf = async (changes: Record<string, unknown> = {}) =>
    (await service.post("/v1/jobs", service.jobBody(changes))).body.report;
  const deniedBy = (report: any): string[] =>
    report.findings.filter(({ outcome }: any) => outcome !== "pass").map(({ check }: any) => check);

  it("judges by the providers' prices, halts and multipliers, and by the calendar", async () => {
    const report = await reportOf();
    expect(deniedBy(report)).to.deep.equal([]);
    expect(report.evidence.references.map(({ provider, kind }: any) => `${provider} ${kind}`)).to.deep.equal([
      "pyth live",
      "finnhub live",
      "finnhub close",
    ]);
    expect(report.evidence.session).to.deep.equal({ source: "nyse-calendar", state: "regular" });
    expect(report.evidence.token).to.deep.equal({ source: "xstocks", sharesPerToken: "1", halted: false });
  });

  it("dates the last official close by the calendar", async () => {
    const report = await reportOf({ policyId: "LAST_CLOSE" });
    expect(deniedBy(report)).to.deep.equal([]);
    const close = report.evidence.references.find(({ kind }: any) => kind === "close");
    // The world's Friday is in its regular session: the last close was on Thursday at 16:00 in New York.
    expect(new Date(close.publishedAt * 1000).toISOString()).to.equal("2025-11-13T21:00:00.000Z");
  });

  it("denies a stale price, a disagreement and a halt", async () => {
    says.pythAge = 120;
    expect(deniedBy(await reportOf())).to.deep.equal(["reference-age"]);
    world.clock.advance(31_000);
    await world.mine();
    says = { pythAge: 2, finnhub: price * 1.006, halted: true };
    expect(deniedBy(await reportOf())).to.deep.equal(["trading-halt", "reference-agreement"]);
  });

  it("asks a provider once for many jobs at a time", async () => {
    const before = providers.asked.length;
    await Promise.all(Array.from({ length: 8 }, () => reportOf()));
    expect(providers.asked.length - before).to.be.at.most(4);
  });

  it("keeps the providers' keys out of every answer", async () => {
    const { text } = await service.post("/v1/jobs", service.jobBody());
    expect(text).not.to.include("s3cret");
    expect(providers.asked.some(({ headers }) => headers.authorization === "Bearer pyth-s3cret")).to.equal(
      true,
    );
  });

  // Last of those that ask providers: one that failed often is left alone for a while.
  it("denies when a provider is away, and says which check lacks its fact", async () => {
    says.finnhub = null;
    expect(deniedBy(await reportOf())).to.deep.equal(["reference-sources"]);
  });

  it("refuses a development key, whichever way it comes in", async () => {
    const dev = world.accounts.attestation;
    await writeFile(
      join(folder, "dev.json"),
      await encryptKeystoreJson({ address: dev.address, privateKey: dev.privateKey }, "open", {
        scrypt: { N: 2 },
      }),
    );
    const error = await startService(world, "sqlite::memory:", {
      ASSAY_PROFILE: "live",
      DEPLOYMENT_FILE: join(folder, "deployment.json"),
      ATTESTOR_PRIVATE_KEY: "",
      ATTESTOR_KEYSTORE: join(folder, "dev.json"),
      ATTESTOR_KEYSTORE_PASSPHRASE: "open",
    }).catch((error: Error) => error);
    expect((error as Error).message).to.include("well-known development key");
    expect((error as Error).message).not.to.include(
      (await readFile(join(folder, "dev.json"), "utf8")).slice(20, 60),
    );
  });
});
