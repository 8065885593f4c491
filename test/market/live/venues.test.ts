/** Which venue measures a buy, and which quotes make one sample. */
import { expect } from "chai";
import { impactsOf, MOST_APART_MS, QuotesApart } from "../../../market/live/impacts.ts";
import { connect } from "../../../market/live/upstreams.ts";
import { failureOf } from "../../support/failure.ts";
import { REPLAY_NOW, replayWorld, startReplay } from "../../support/providers/replay.ts";
import { virtualClock } from "../../support/providers/virtualClock.ts";
import { ofTest } from "../../support/suite.ts";

const NO_ROUTE = {
  pancakeswap: { status: 502, body: { statusCode: 502, message: "agg error: 42102 no route" } },
  kyberswap: { status: 400, body: { code: 4008, message: "route not found" } },
};
const routed = (amountIn: string) => ({
  code: 0,
  data: { routeSummary: { amountIn, amountOut: String(BigInt(amountIn) / 100n) } },
});

describe("the venues of a chain", () => {
  const replay = ofTest(() => startReplay(replayWorld(["AAPL"])));
  /** Milliseconds that an answer takes, by the path of its request. */
  let latency: (path: string) => number;
  let kyberswap: (amountIn: string) => unknown;
  /** Answers in Jupiter's place; undefined: the replay answers. */
  let jupiter: (url: URL) => Response | undefined;
  beforeEach(() => {
    latency = () => 100;
    kyberswap = routed;
    jupiter = () => undefined;
  });
  const tokenOn = (chain: "bnb" | "solana") => replay.world.tokens.find((token) => token.chain === chain)!;
  const measure = async (chain: "bnb" | "solana") => {
    const clock = virtualClock(REPLAY_NOW * 1_000, 0);
    const asking = (async (input: URL, init?: RequestInit) => {
      await clock.sleep(latency(`${input.pathname}${input.search}`));
      if (!input.pathname.startsWith("/kyberswap")) return jupiter(input) ?? clock.fetch(input, init);
      replay.asked.push("kyberswap");
      const answer = kyberswap(input.searchParams.get("amountIn") ?? "0");
      if (answer === null) return Response.json(NO_ROUTE.kyberswap.body, { status: 400 });
      return answer === undefined ? new Response("", { status: 503 }) : Response.json(answer);
    }) as typeof fetch;
    const upstreams = connect({
      ...replay.deps,
      assets: replay.world.tokens,
      fetch: asking,
      now: () => clock.now(),
      adapters: { clock, random: () => 0 },
    });
    return clock.until(impactsOf(upstreams, tokenOn(chain)));
  };
  const providers = () => [...new Set(replay.asked.map((path) => path.split("/", 1)[0]))];

  it("the venues of a chain are asked one after the other where one has no route, and the first that has one measures", async () => {
    expect(await measure("bnb")).to.include({ source: "pancakeswap" });
    expect(providers()).to.deep.equal(["pancakeswap"]);
    tokenOn("bnb").depthUsd = 0;
    expect(await measure("bnb")).to.deep.equal({
      source: "kyberswap",
      impact1kBps: "0",
      impact10kBps: "0",
      tinyPriceUsd: null,
    });
    expect(providers()).to.deep.equal(["pancakeswap", "kyberswap"]);
  });

  it("say that there is no route only when each of them has said so", async () => {
    tokenOn("bnb").depthUsd = 0;
    kyberswap = () => null;
    const none = { impact1kBps: null, impact10kBps: null, tinyPriceUsd: null };
    expect(await measure("bnb")).to.deep.equal({ source: "pancakeswap", ...none });
    kyberswap = () => undefined;
    const fault = await failureOf(measure("bnb"));
    expect(fault).to.be.instanceOf(AggregateError);
    expect(String(fault.errors[0])).to.contain("kyberswap");
  });

  it("keep no sample whose quotes took longer than two seconds, and let the next venue measure it", async () => {
    latency = (path) => (/^\/pancakeswap.*amount=10{21}&/.test(path) ? MOST_APART_MS : 100);
    expect(await measure("bnb")).to.include({ source: "kyberswap" });
    latency = (path) => (/^\/jupiter.*amount=1000000000$/.test(path) ? MOST_APART_MS : 100);
    expect((await failureOf(measure("solana"))).errors[0]).to.be.instanceOf(QuotesApart);
  });

  it("measure by one endpoint: where the newer one of Jupiter fails for one quote, the older one is asked for all", async () => {
    const asked: string[] = [];
    jupiter = (url) => {
      const { inputMint, outputMint, amount } = Object.fromEntries(url.searchParams);
      const isNewer = url.pathname.includes("/swap/v2/order");
      if (!isNewer && !url.pathname.includes("/swap/v1/quote")) return undefined;
      asked.push(`${isNewer ? "newer" : "older"} ${BigInt(amount!) / 1_000_000n}`);
      if (isNewer && amount === "10000000000") return Response.json({});
      // The older one finds routes that pay a tenth less, for every size alike.
      const outAmount = String(BigInt(amount!) / (isNewer ? 9n : 10n));
      return Response.json({ inputMint, outputMint, inAmount: amount, outAmount });
    };
    expect(await measure("solana")).to.deep.equal({
      source: "jupiter",
      impact1kBps: "0",
      impact10kBps: "0",
      tinyPriceUsd: "1000",
    });
    expect(asked.filter((one) => one.startsWith("older"))).to.have.members([
      "older 20",
      "older 1000",
      "older 10000",
    ]);
  });

  it("measure a sample in two seconds also where a request may leave every two", async () => {
    expect(await measure("solana")).to.include({ source: "jupiter" });
    expect(await measure("solana")).to.include({ source: "jupiter" });
  });
});
