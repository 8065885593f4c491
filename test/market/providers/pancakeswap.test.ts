import { expect } from "chai";
import { PANCAKESWAP } from "../../../market/providers/pancakeswap.ts";
import { bench, expectOtherShapes, failsAsEvery, faultOf } from "../../support/providers/adapter.ts";
import { captured } from "../../support/providers/captures.ts";
import { json, status } from "../../support/providers/upstream.ts";

const REQUEST = {
  inputToken: "0x55d398326f99059fF775485246999027B3197955",
  outputToken: "0x390A684ef9cADE28A7AD0DFA61ab1eB3842618C4",
  amountIn: "1000000000000000000000",
};
const best = (more: object = {}) => ({
  candidates: [],
  best: { inputAmount: REQUEST.amountIn, outputAmount: "3700000000000000000", priceImpactBps: 0, ...more },
});

describe("PancakeSwap", () => {
  const at = bench();
  const quote = (request = REQUEST) => PANCAKESWAP.connect(at.deps).quotes[0]!("bnb", request);
  const ask = () => quote();

  it("quotes an amount on BNB chain", async () => {
    at.upstream.reply(json(best()));
    const { rawHash, ...answer } = (await ask())!;
    expect(answer).to.eql({ provider: "pancakeswap", ...REQUEST, amountOut: "3700000000000000000" });
    expect(rawHash).to.match(/^0x[0-9a-f]{64}$/);
    expect(Object.fromEntries(at.upstream.asked[0]!.query)).to.eql({
      chainId: "56",
      tokenIn: REQUEST.inputToken,
      tokenOut: REQUEST.outputToken,
      amount: REQUEST.amountIn,
      sources: "agg",
    });
  });

  it("knows a missing route by its number inside a 502, at once", async () => {
    at.upstream.reply(json({ code: "UPSTREAM_ERROR", message: "engine: code 42102, sorry" }, 502));
    expect(await ask()).to.equal(null);
    expect(at.upstream.asked).to.have.length(1);
  });

  it("takes other failures for failures, and repeats them while they may pass", async () => {
    at.upstream.reply(json({ code: "UPSTREAM_ERROR", message: "engine: code 142102" }, 502));
    expect((await faultOf(ask())).status).to.equal(502);
    expect(at.upstream.asked).to.have.length(3);
    at.upstream.reply(json({ message: "42102" }, 400));
    expect((await faultOf(ask())).status).to.equal(400);
    at.upstream.reply(status(502, "<html>42102</html>"));
    expect((await faultOf(ask())).status).to.equal(502);
  });

  it("turns away an amount of 0 and the answer to another question", async () => {
    const wrong = [{ outputAmount: "0" }, { outputAmount: null }, { inputAmount: "1" }].map(best);
    await expectOtherShapes(at, [...wrong, { candidates: [], best: null }], ask);
  });

  it("reads recorded answers of PancakeSwap", async () => {
    const capture = captured("pancakeswap");
    const { tokenIn, tokenOut, amount } = capture.request.query;
    at.upstream.reply(json(capture.response));
    const request = { inputToken: tokenIn, outputToken: tokenOut, amountIn: amount };
    expect((await quote(request))?.amountOut).to.equal("6971806345008198576");
    at.upstream.reply(json(capture.errors[0].body, 502));
    expect(await quote(request)).to.equal(null);
  });
});

failsAsEvery(
  "PancakeSwap",
  (deps) => PANCAKESWAP.connect(deps).quotes[0]!("bnb", { ...REQUEST, amountIn: "1" }),
  (hole) => ({ best: { inputAmount: "1", outputAmount: hole } }),
);
