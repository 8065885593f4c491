/** How a model may write a trade: amounts in units, assets by symbol; and what is refused of that. */
import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { ToolFailure } from "../../../api/mcp/failure.ts";
import { bodyOf } from "../../../api/mcp/inputs.ts";
import type { Asset } from "../../../attestor/registry.ts";
import { assetKeyOf } from "../../../attestor/values/primitives.ts";
import { connectHost } from "../../support/mcp.ts";
import { testService, walletOf } from "../../support/service.ts";
import { ofSuite } from "../../support/suite.ts";
import { testWorld } from "../../support/world.ts";

describe("a trade that a model writes", () => {
  const world = testWorld();
  const service = testService(world);
  const host = ofSuite(() => connectHost("2026", service.url, service.key));
  before(() => world.tick());

  /** Its amount is what a test says. */
  function written(changes: object): Record<string, unknown> {
    const { amountInRaw, ...body } = service.jobBody({ inputAssetKey: "USDL", outputAssetKey: "aaplx" });
    return { ...body, clientRequestId: randomUUID(), ...changes };
  }

  const inUnits = /^250 USDL for at least 0\.9[0-9]{1,5} AAPLx$/;
  for (const [how, changes, understood] of [
    ["in units with their symbol", { amount: "250 USDL" }, inUnits],
    ["in units alone", { amount: "250" }, inUnits],
    ["with all decimals and a symbol in small letters", { amount: "250.000000 usdl" }, inUnits],
    [
      "in raw units",
      { amountInRaw: "250" },
      /^amountInRaw 250 is 0\.00025 USDL for at least 0\.0000009[0-9]* AAPLx$/,
    ],
  ] as const)
    it(`a trade with its amount ${how} is understood, and what was understood is repeated`, async () => {
      const answer = await host.use("prepare_verification", written(changes));
      expect(answer.understood).to.match(understood);
    });

  it("a trade for somebody else repeats who is paid", async () => {
    const { address } = walletOf(world, 1);
    const args = written({ amount: "250", recipientAddress: address });
    const { understood } = await host.use("prepare_verification", args);
    expect(understood).to.match(new RegExp(`AAPLx, paid to ${address}$`));
  });

  for (const [what, changes, code, path, why] of [
    ["without an amount", {}, "invalid_request", "amount", /either amount or amountInRaw/],
    [
      "with its amount in both ways",
      { amount: "250", amountInRaw: "250" },
      "invalid_request",
      "amount",
      /either amount or amountInRaw/,
    ],
    [
      "with more decimals than the token has",
      { amount: "0.0000001" },
      "invalid_request",
      "amount",
      /more decimals than USDL, which has 6/,
    ],
    [
      "with its amount in the other token",
      { amount: "250 AAPLx" },
      "invalid_request",
      "amount",
      /in the input token, which is USDL/,
    ],
    [
      "with a comma in its amount",
      { amount: "1,000" },
      "invalid_request",
      "amount",
      /digits with or without a point/,
    ],
    ["of nothing", { amount: "0.0 USDL" }, "invalid_request", "amount", /more than zero/],
    [
      "of a token for itself",
      { amount: "250", outputAssetKey: "USDL" },
      "invalid_request",
      "outputAssetKey",
      /not be the input asset/,
    ],
    [
      "of a token that is not listed",
      { amount: "250", outputAssetKey: "AAPL" },
      "unsupported_asset",
      "outputAssetKey",
      /./,
    ],
  ] as const)
    it(`a trade ${what} is refused, with the reason at its field`, async () => {
      const failure = await host.failure("prepare_verification", written(changes));
      expect(failure.code).to.equal(code);
      expect(failure.errors[0].path).to.equal(path);
      expect(failure.errors[0].message).to.match(why);
    });

  it("a trade with a symbol of several assets is of the one that is written exactly, and else asks which is meant", () => {
    const given = { inputAssetKey: "USDL", outputAssetKey: "", amountInRaw: "1" };
    const assets = ["USDL", "AAPLx", "AAPLX", "aaplx", "twin", "twin"].map((symbol, index) => ({
      symbol,
      assetKey: assetKeyOf(1, `0x${String(index).repeat(40)}`),
      decimals: 6,
    })) as Asset[];
    const keyOf = (outputAssetKey: string) => bodyOf({ ...given, outputAssetKey }, assets).outputAssetKey;
    expect(keyOf("AAPLX")).to.equal(assets[2]!.assetKey);
    for (const name of ["AaplX", "twin", "TWIN"])
      expect(() => keyOf(name), name)
        .to.throw(ToolFailure)
        .with.nested.property("fields.code", "ambiguous_symbol");
    const message = `is one of ${assets[4]!.assetKey}, ${assets[5]!.assetKey}`;
    expect(() => keyOf("twin"))
      .to.throw(ToolFailure)
      .with.nested.property("fields.errors")
      .that.deep.equals([{ path: "outputAssetKey", message }]);
  });

  for (const whose of ["with a key", "without a key"])
    it(`a trade ${whose} with half a character in the place of any text is refused`, async () => {
      await using own = await connectHost("2025", service.url, whose === "with a key" ? service.key : null);
      const body = whose === "with a key" ? service.jobBody() : service.verifyBody();
      for (const name of Object.keys(body)) {
        const { code } = await own.failure("prepare_verification", { ...body, [name]: "\ud800" });
        expect(code, name).to.equal("invalid_request");
      }
    });
});
