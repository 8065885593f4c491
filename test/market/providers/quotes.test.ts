/** Which venue measures a buy, and which quotes make one sample. */
import { expect } from "chai";
import fc from "fast-check";
import { connectMarket } from "../../../market/providers/connect.ts";
import { createLimits } from "../../../market/providers/limits.ts";
import type { Quote } from "../../../market/providers/provider.ts";
import { impactBps, MOST_APART_MS, QuotesApart } from "../../../market/providers/quotes.ts";
import { failureOf } from "../../support/failure.ts";
import { startReplay } from "../../support/providers/replay.ts";
import { replayWorld } from "../../support/providers/replayWorld.ts";
import { ofEachTest } from "../../support/providers/virtualTime.ts";
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
  const time = ofEachTest();
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
  const asking = () => {
    const fetch = (async (input: URL, init?: RequestInit) => {
      await new Promise((resolve) => setTimeout(resolve, latency(`${input.pathname}${input.search}`)));
      if (!input.pathname.startsWith("/kyberswap"))
        return jupiter(input) ?? (await time.during(replay.deps.fetch(input, init)));
      replay.asked.push("kyberswap");
      const answer = kyberswap(input.searchParams.get("amountIn") ?? "0");
      if (answer === null) return Response.json(NO_ROUTE.kyberswap.body, { status: 400 });
      return answer === undefined ? new Response("", { status: 503 }) : Response.json(answer);
    }) as typeof globalThis.fetch;
    const limits = createLimits();
    const tokens = replay.world.tokens;
    return connectMarket({ ...replay.deps, tokens, fetch, now: time.now, limits });
  };
  const measure = async (chain: "bnb" | "solana", from = asking()) => {
    const { statements, failures } = await from.ask("impact", [tokenOn(chain)]);
    const [failure] = failures;
    if (failure) throw failure.error;
    const [{ source, impact1kBps, figure, tinyPrice } = {}] = statements;
    return { source, impact1kBps, impact10kBps: figure, tinyPrice };
  };
  const providers = () => [...new Set(replay.asked.map((path) => path.split("/", 1)[0]))];

  it("the venues of a chain are asked one after the other where one has no route, and the first that has one measures", async () => {
    expect(await measure("bnb")).to.include({ source: "pancakeswap" });
    expect(providers()).to.deep.equal(["pancakeswap"]);
    tokenOn("bnb").depthUsd = 0;
    const measured = { source: "kyberswap", impact1kBps: "0", impact10kBps: "0", tinyPrice: "100" };
    expect(await measure("bnb")).to.deep.equal(measured);
    expect(providers()).to.deep.equal(["pancakeswap", "kyberswap"]);
  });

  it("say that there is no route only when each of them has said so", async () => {
    tokenOn("bnb").depthUsd = 0;
    kyberswap = () => null;
    const none = { impact1kBps: null, impact10kBps: null, tinyPrice: null };
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
      tinyPrice: "1000",
    });
    expect(asked.filter((one) => one.startsWith("older"))).to.have.members([
      "older 20",
      "older 1000",
      "older 10000",
    ]);
  });

  it("measure a sample in two seconds also where a request may leave every three, and while others wait", async () => {
    const from = asking();
    const others = from.ask("price", replay.world.tokens);
    for (const chain of ["solana", "bnb", "solana"] as const)
      expect((await measure(chain, from)).source).to.equal(chain === "bnb" ? "pancakeswap" : "jupiter");
    expect((await others).failures).to.eql([]);
  });
});

const quote = (amountIn: string, amountOut: string): Quote => ({
  provider: "fake",
  inputToken: "usd",
  outputToken: "stock",
  rawHash: "0x",
  amountIn,
  amountOut,
});

describe("the impact of a size", () => {
  it("compares what a large and a tiny buy give for the same money, in bps", () => {
    // 10 USD give 100 units, 1,000 USD give 9,900 instead of 10,000.
    expect(impactBps(quote("10", "100"), quote("1000", "9900"))).to.equal("101.01010101");
    expect(impactBps(quote("10", "100"), quote("1000", "10000"))).to.equal("0");
  });

  it("keeps its sign when the large buy is better", () => {
    expect(impactBps(quote("10", "99"), quote("1000", "10000"))).to.equal("-100");
  });

  it("the impact of a size is null without a route of either", () => {
    expect(impactBps(null, quote("1", "1"))).to.equal(null);
    expect(impactBps(quote("1", "1"), null)).to.equal(null);
  });

  it("the impact of a size does not lose digits of raw amounts of 18 decimals", () => {
    const tiny = quote("10000000000000000000", "37000000000000001");
    expect(impactBps(tiny, quote("10000000000000000000000", "37000000000000001000"))).to.equal("0");
    expect(impactBps(tiny, quote("10000000000000000000000", "36999999999999999999"))).to.equal("0");
  });

  it("the impact of a size does not change with the units of either token", () => {
    const amount = fc.bigInt({ min: 1n, max: 10n ** 24n });
    fc.assert(
      fc.property(amount, amount, amount, amount, (inTiny, outTiny, inLarge, outLarge) => {
        const impact = impactBps(quote(`${inTiny}`, `${outTiny}`), quote(`${inLarge}`, `${outLarge}`));
        const scaled = impactBps(
          quote(`${inTiny}000`, `${outTiny}0`),
          quote(`${inLarge}000`, `${outLarge}0`),
        );
        expect(scaled).to.equal(impact);
      }),
    );
  });
});
