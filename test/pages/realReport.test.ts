/**
 * AAPL judged in the live profile at the moment of a report that Chainlink's oracle network really signed. Reference price
 * and session are signed, and the saved file alone is VALID to the command, to a browser offline and to the service's page.
 */
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { encryptKeystoreJson, Wallet } from "ethers";
import { factsOf } from "../../attestor/factKinds.ts";
import { manualClock } from "../../devnet/clock.ts";
import { overHttp, verifyCommand } from "../../scripts/verify/verify.ts";
import { OndoFacts__factory } from "../../types/contracts/factories/test/support/contracts/IssuerFacts.sol/OndoFacts__factory.ts";
import { testBrowser } from "../support/browser.ts";
import { fakeConsole } from "../support/fakeConsole.ts";
import { lightLogKeystore } from "../support/keystores.ts";
import { dataStreams, REPORTS } from "../support/providers/dataStreams.ts";
import { type FakeUpstream, json, startFakeUpstream } from "../support/providers/upstream.ts";
import { deniedBy, rotateSigner, type Service, startService, walletOf } from "../support/service.ts";
import { testFolder } from "../support/suite.ts";
import { typed } from "../support/typed.ts";
import { createWorld, readFeed, type TestWorld } from "../support/world.ts";
import { dropEach, openVerifier } from "./reportPage.ts";

const { AAPL } = REPORTS;
/** 9 September 2026, 18:00 UTC: a Wednesday, in the regular session. */
const REPORT_TIME = 1_788_976_800;
const PRICE = 313.25735;
const USER = "streams-key:streams-secret";
const CONFIGURATION =
  "chainlink configuration 0x00094baebfda9b87680d8e59aa20a3e565126640ee7caeab3cd965e5568b17ee";

describe("a judgement at the moment of a real report of Chainlink", function () {
  this.timeout(180_000);

  const folder = testFolder("real-report");
  const browser = testBrowser();
  let world: TestWorld;
  let providers: FakeUpstream;
  let service: Service;
  let signer: string;
  let saved: string;

  before(async () => {
    world = await createWorld({ clock: manualClock((REPORT_TIME - 30) * 1000) });
    await world.tick();
    providers = await startFakeUpstream();
    const streams = dataStreams(USER, () => world.clock.now(), [AAPL]);
    providers.reply((asked, response) => {
      if (!asked.path.startsWith("/api/v1/quote")) return streams(asked, response);
      return json({ c: PRICE, pc: PRICE, t: REPORT_TIME - 5 })(asked, response);
    });
    signer = await newSigner();
    service = await liveService();
    saved = JSON.stringify(await preparedTrade());
    writeFileSync(join(folder, "trade.json"), saved);
  });
  after(async () => {
    await service.stop();
    await providers.close();
    await world.stop();
  });

  async function newSigner(): Promise<string> {
    const { address, privateKey } = Wallet.createRandom();
    const keystore = await encryptKeystoreJson({ address, privateKey }, "open", { scrypt: { N: 2 } });
    writeFileSync(join(folder, "key.json"), keystore);
    writeFileSync(join(folder, "log.json"), await lightLogKeystore(randomBytes(32), "open"));
    await rotateSigner(world, address);
    return address;
  }

  /** The issuer's oracle makes a token as many shares as the local pool pays for at the report's price. */
  async function oracleAt(factor: number): Promise<string> {
    const oracle = await new OndoFacts__factory(walletOf(world, 8)).deploy();
    const sValue = BigInt(Math.round(factor * 1e9)) * 10n ** 9n;
    const data = {
      sValue,
      pendingSValue: 0n,
      lastUpdate: 1,
      pauseStartTime: 0,
      allowedDriftBps: 100,
      driftCooldown: 0,
    };
    await (await oracle.set(world.token("AAPLx"), data)).wait();
    return await oracle.getAddress();
  }

  async function liveService(): Promise<Service> {
    const { registry } = world.deployment;
    const feed = world
      .feeds("AAPLx")
      .find(({ kind, provider }) => kind === "live" && provider === "chainlink");
    const { price } = await readFeed(world.chain, feed!);
    const address = await oracleAt(Number(price) / PRICE);
    const { feedID: feedId } = AAPL.response.report;
    const assets = registry.assets.map((asset) =>
      asset.symbol === "AAPLx"
        ? {
            ...asset,
            tokenKind: "price-bearing",
            priceSources: [
              { provider: "chainlink-streams", kind: "live", symbol: "AAPL", feedId },
              { provider: "finnhub", kind: "live", symbol: "AAPL" },
            ],
            tokenSources: [{ source: "ondo-oracle", address }],
          }
        : { ...asset, priceSources: world.feeds(asset.symbol) },
    );
    const deployment = { ...world.deployment, source: "live", registry: { ...registry, assets } };
    writeFileSync(join(folder, "deployment.json"), JSON.stringify(deployment));
    return startService(world, "sqlite::memory:", {
      ASSAY_PROFILE: "live",
      DEPLOYMENT_FILE: join(folder, "deployment.json"),
      ATTESTOR_PRIVATE_KEY: "",
      ATTESTOR_KEYSTORE: join(folder, "key.json"),
      ATTESTOR_KEYSTORE_PASSPHRASE: "open",
      LOG_KEYSTORE: join(folder, "log.json"),
      LOG_KEYSTORE_PASSPHRASE: "open",
      LOG_ORIGIN: "test.example/log",
      CHAINLINK_STREAMS_KEY: USER,
      CHAINLINK_STREAMS_URL: providers.url,
      FINNHUB_KEY: "finnhub-key",
      FINNHUB_URL: providers.url,
    });
  }

  async function preparedTrade() {
    world.clock.set((REPORT_TIME + 8) * 1000);
    await world.mine();
    const { job, prepared } = await service.newPrepared();
    expect(deniedBy(job.report), JSON.stringify(job.report.findings)).to.deep.equal([]);
    return prepared;
  }

  it("rests on the signed price and the signed session", () => {
    const { report } = JSON.parse(saved);
    const [reference] = report.evidence.references;
    expect(reference).to.include({ provider: "chainlink", price: "313.25735", publishedAt: REPORT_TIME });
    expect(report.evidence.session).to.deep.equal({ source: "nyse-calendar", state: "regular" });
    const signed = factsOf(report.evidence).filter(({ kind }) => kind === "signed");
    expect(signed.map(({ name }) => name)).to.deep.equal([`price of ${reference.symbol}`, "market session"]);
  });

  it("is VALID to the command, from the file alone", async () => {
    const { world: terminal, shown } = fakeConsole([], { "trade.json": saved });
    // The local world's own guard, where one was started here, has the address of this one.
    const knowsNone = async () => [];
    const args = ["trade.json", "--signer", signer];
    const command = verifyCommand("", () => overHttp(knowsNone));
    const code = await typed(command, args, terminal);
    expect([code, shown[0]]).to.match(/^0,VALID/);
    const [signed = ""] = shown.filter((line) => line.startsWith("  Signed"));
    expect(signed)
      .to.match(/"price of AAPL", the market session \(chainlink configuration 0x/)
      .and.include(CONFIGURATION);
  });

  it("is VALID in a browser without a network, which shows both facts as signed", async () => {
    const { page, complaints } = await openVerifier(browser);
    const [seen] = await dropEach(page, [{ text: saved, fields: { signer } }]);
    expect([seen?.verdict, seen?.faults]).to.deep.equal(["VALID", []]);
    expect(await page.locator("main").textContent()).to.include(CONFIGURATION);
    expect(complaints).to.deep.equal([]);
    await page.context().close();
  });
});
