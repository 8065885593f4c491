/** Whether a quoter is asked again for what the evidence says that it said. */
import { expect } from "chai";
import { Interface } from "ethers";
import { quoterOutputs } from "../../chain/quoteAgain.ts";
import { quote, REGISTRY } from "../attestor/fixtures.ts";

const router = new Interface([
  "function getAmountsOut(uint256 amountIn, address[] path) view returns (uint256[] amounts)",
]);

describe("a quote that a V2 router said", () => {
  const given = quote("buy");
  const outputs = new Map([
    [given.amountInRaw, given.amountOutRaw],
    [given.referenceAmountInRaw, given.referenceAmountOutRaw],
  ]);
  const caller = {
    async call({ data }: { data?: string | null | undefined }) {
      const [amountIn] = router.decodeFunctionData("getAmountsOut", String(data));
      return router.encodeFunctionResult("getAmountsOut", [[amountIn, outputs.get(String(amountIn)) ?? "0"]]);
    },
  };

  it("is asked of the router again, also where the evidence names fees, which V2 has not", async () => {
    for (const fees of [[], [3000]]) {
      const { stated, again } = quoterOutputs({ ...given, fees }, REGISTRY, caller as never);
      expect(await again).to.deep.equal(stated);
      const forged = quoterOutputs({ ...given, fees, amountOutRaw: "1" }, REGISTRY, caller as never);
      expect(await forged.again).to.not.deep.equal(forged.stated);
    }
  });
});
