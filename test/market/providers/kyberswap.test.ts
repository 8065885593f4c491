import { expect } from "chai";
import { KYBERSWAP } from "../../../market/providers/kyberswap.ts";
import { bench, expectOtherShapes, failsAsEvery, faultOf } from "../../support/providers/adapter.ts";
import { captured } from "../../support/providers/captures.ts";
import { json } from "../../support/providers/upstream.ts";

const REQUEST = { inputToken: "0xaa", outputToken: "0xbb", amountIn: "25000000000000000000" };
const summary = (more: object = {}) => ({
  code: 0,
  message: "successfully",
  data: { routeSummary: { amountIn: REQUEST.amountIn, amountOut: "91000000000000000", ...more } },
});

describe("KyberSwap", () => {
  const at = bench();
  const quote = (request = REQUEST) => KYBERSWAP.connect(at.deps).quotes[0]!("bnb", request);
  const ask = () => quote();

  it("quotes an amount over pools alone, under the service's name", async () => {
    at.upstream.reply(json(summary()));
    expect(await ask()).to.include({ provider: "kyberswap", amountOut: "91000000000000000" });
    const [asked] = at.upstream.asked;
    expect(asked?.path).to.match(/^\/bsc\/api\/v1\/routes\?/);
    expect(asked?.headers["x-client-id"]).to.equal("assay");
    expect(Object.fromEntries(asked!.query)).to.include({ gasInclude: "false", excludeRFQSources: "true" });
  });

  it("knows a missing route by its code, with any status", async () => {
    for (const status of [200, 400]) {
      at.upstream.reply(json({ code: 4008, message: "words" }, status));
      expect(await ask()).to.equal(null);
    }
  });

  it("takes another code for a failure", async () => {
    at.upstream.reply(json({ code: 4221, message: "words" }, 400));
    expect((await faultOf(ask())).status).to.equal(400);
    const wrong = [{ ...summary(), code: 1 }, summary({ amountOut: "0" }), summary({ amountIn: "1" })];
    await expectOtherShapes(at, [...wrong, { code: 0, data: null }], ask);
  });

  it("reads a recorded answer of KyberSwap", async () => {
    const capture = captured("kyberswap");
    at.upstream.reply(json(capture.response));
    const { amountIn, amountOut } = capture.response.data.routeSummary;
    expect((await quote({ ...REQUEST, amountIn }))?.amountOut).to.equal(amountOut);
  });
});

failsAsEvery(
  "KyberSwap",
  (deps) => KYBERSWAP.connect(deps).quotes[0]!("bnb", { ...REQUEST, amountIn: "1" }),
  (hole) => ({ code: 0, data: { routeSummary: { amountIn: "1", amountOut: hole } } }),
);
