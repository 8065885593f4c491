import { expect } from "chai";
import { findAsset } from "../../../attestor/registry.ts";
import { verifyReport } from "../../../attestor/verify/verify.ts";
import { signedUpdate } from "../../../devnet/hermes/update.ts";
import { createOffchainSources } from "../../../market/facts/offchainFacts.ts";
import { UNLIMITED } from "../../../market/providers/limits.ts";
import { PYTH, type PythPrice } from "../../../market/providers/pyth.ts";
import { startService } from "../../support/service.ts";
import { testWorld } from "../../support/world.ts";

describe("the local world's Hermes", () => {
  const world = testWorld();
  before(() => world.tick());

  const pythOf = (symbol: string) => {
    const [feed] = findAsset(world.deployment.registry, world.assetKey(symbol))!.priceSources;
    if (feed?.provider !== "pyth-hermes") throw new Error(`${symbol} has no feed`);
    return feed;
  };
  const ask = async (...symbols: string[]): Promise<readonly PythPrice[]> => {
    const now = () => world.clock.now();
    const hermes = PYTH.connect({ fetch, now, limits: UNLIMITED, lane: "jobs", baseUrl: world.url });
    const feeds = symbols.map((symbol) => ({ id: pythOf(symbol).feedId, symbol }));
    return (await hermes.latest(feeds)).statements;
  };
  const get = (path: string) => fetch(`${world.url}${path}`);

  it("serves the chain's price, signed, and as the registry names the feed", async () => {
    await world.publishReference("AAPLx", 271.50125);
    const [apple, dollar] = await ask("AAPLx", "USDL");
    expect(apple).to.include({ figure: "271.50125", feedId: pythOf("AAPLx").feedId });
    expect(dollar).to.include({ figure: "1", feedId: pythOf("USDL").feedId });
    expect(apple?.at).to.be.at.most(world.clock.now() / 1000);
  });

  it("publishes all the time what was pushed last, until that is a minute old", async () => {
    await world.tick();
    const seconds = () => Math.floor(world.clock.now() / 1000);
    const pushed = seconds();
    for (const [later, published] of [
      [29, pushed + 29],
      [60, pushed + 60],
      [61, pushed],
    ] as const) {
      world.clock.set((pushed + later) * 1000);
      expect((await ask("AAPLx"))[0]?.at, String(later)).to.equal(published);
    }
    await world.tick();
  });

  it("gives the service signed prices by the code that asks the real one, together in one request", async () => {
    const asked: string[] = [];
    const sources = createOffchainSources({
      keys: {},
      baseUrls: { pyth: world.url },
      chainId: 31_337,
      source: "simulated",
      fetch: (input, init) => {
        asked.push(String(input));
        return fetch(input, init);
      },
      now: () => world.clock.now(),
      log: { warn: () => expect.fail("everything is known") },
    });
    const answers = await Promise.all(["AAPLx", "USDL"].map((symbol) => sources.prices([pythOf(symbol)], 0)));
    expect(answers.map(({ failures }) => failures)).to.deep.equal([[], []]);
    for (const reading of answers.map(({ readings }) => readings[0]!)) {
      expect(reading.signer?.set).to.equal("test keys of the local world");
      expect(reading).to.include({ provider: "pyth", source: "simulated", onChain: null });
    }
    expect(asked).to.have.length(1);
  });

  it("is believed by what it signed, not by what it adds, and unsigned where the signatures are invalid", async () => {
    const { feedId } = pythOf("AAPLx");
    const read = async (signedFeed: string, chainId: number) => {
      const message = { feedId: signedFeed, price: 300n, confidence: 1n, exponent: 0, publishedAt: 999 };
      const data = [Buffer.from(signedUpdate([message], 999)).toString("hex")];
      const price = { price: "200", conf: "2", expo: 0, publish_time: 1_000 };
      const parsed = [{ id: feedId.slice(2), price }];
      const sources = createOffchainSources({
        keys: {},
        baseUrls: { pyth: world.url },
        chainId,
        fetch: async () => Response.json({ binary: { encoding: "hex", data }, parsed }),
        now: () => 1_000_000,
        log: { warn() {} },
      });
      const [reading] = (await sources.prices([pythOf("AAPLx")], 1_000)).readings;
      return [reading?.price, reading?.confidence, reading?.publishedAt, reading?.proof === null];
    };
    expect(await read(feedId, 31_337)).to.eql(["300", "1", 999, false]);
    for (const [signedFeed, chainId] of [
      [feedId, 56],
      [`0x${"ab".repeat(32)}`, 31_337],
    ] as const)
      expect(await read(signedFeed, chainId)).to.eql(["200", "2", 1_000, true]);
  });

  it("lets local reports rest on signed prices, which verify from the report alone", async () => {
    await using service = await startService(world, "sqlite::memory:");
    await service.recordLiquidity();
    const { report } = (await service.post("/v1/jobs", service.jobBody())).body;
    expect(report.decision).to.equal("ALLOW");
    const { references, settlement } = report.evidence;
    for (const prices of [references, settlement]) {
      const [first] = prices;
      expect(first).to.include({ provider: "pyth", source: "simulated" });
      expect(first.signer.set).to.equal("test keys of the local world");
      const [onChain] = prices.filter((price: any) => price.provider === "chainlink");
      expect(onChain.onChain.roundId).to.match(/^[1-9][0-9]*$/);
    }
    const { registry } = world.deployment;
    const { steps } = verifyReport(report, { registry });
    const told = steps.filter(({ name }) => ["registry", "signatures", "state"].includes(name));
    expect(told.map(({ outcome }) => outcome)).to.eql(["ok", "ok", "ok"]);
    expect(steps.map(({ outcome }) => outcome)).to.not.include("wrong");
  }).timeout(60_000);

  it("answers as Hermes does to a feed that it has not, and keeps to its one path", async () => {
    const stranger = "ab".repeat(32);
    const refused = await get(`/v2/updates/price/latest?ids[]=${stranger}`);
    expect(refused.status).to.equal(404);
    const rest = await get(`/v2/updates/price/latest?ids[]=${stranger}&ignore_invalid_price_ids=true`);
    expect(await rest.json()).to.eql({ binary: { encoding: "hex", data: [] }, parsed: [] });
    expect((await get("/v2/other")).status).to.equal(405);
  });
});
