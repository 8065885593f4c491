/** Whether a quoter is asked again for what the evidence says that it said. */
import { expect } from "chai";
import { type Ask, quoterQuestion } from "../../chain/observeQuote.ts";
import { quote, REGISTRY } from "../attestor/fixtures.ts";

describe("a quote that a V2 router said", () => {
  const given = quote("buy");
  const outputs = [
    [given.amountInRaw, given.amountOutRaw],
    [given.referenceAmountInRaw, given.referenceAmountOutRaw],
  ];
  const ask: Ask = async (_to, name, amount) => {
    expect(name).to.equal("getAmountsOut");
    return [[amount, outputs.find(([input]) => input === amount)?.[1] ?? "0"]];
  };
  const isSame = (change: object) => {
    const question = quoterQuestion({ ...given, ...change }, ask, REGISTRY).isSame;
    return typeof question === "function" ? question() : question;
  };

  it("is asked of the router again, also where the evidence names fees, which V2 has not", async () => {
    for (const fees of [[], [3000]]) {
      expect(await isSame({ fees })).to.equal(true);
      expect(await isSame({ fees, amountOutRaw: "1" })).to.equal(false);
    }
  });
});
