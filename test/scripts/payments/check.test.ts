/** `assay payments check`: the book against a real chain with real purchases. */
import { expect } from "chai";
import { createNodes, createTokens } from "../../../scripts/payments/open.ts";
import { addRows, forEachEngine, rowOf } from "../../support/database.ts";
import { approvePermit2, mined, tokenOf } from "../../support/dollars.ts";
import { fakeConsole } from "../../support/fakeConsole.ts";
import { json } from "../../support/http.ts";
import { buyerOf, startPaidService, testPaidWorld } from "../../support/payments.ts";
import { walletOf } from "../../support/service.ts";
import { ofSuite } from "../../support/suite.ts";
import { assayIn } from "../../support/typed.ts";
import { BY_EIP3009, BY_PERMIT2 } from "../../support/x402.ts";

describe("the check of payments against the chain", () => {
  const world = testPaidWorld();
  const nodes = ofSuite(async () => createNodes(new Map([["eip155:31337", world.url]])));

  // The engines share the chain and its payee: the first one's transfers are not the second one's.
  forEachEngine((engine) => {
    const service = ofSuite(async () => startPaidService(world, await engine.createUrl()));
    let printed: string;
    before(async () => {
      const index = engine.name === "sqlite" ? 0 : 1;
      await approvePermit2(world, [walletOf(world, index)]);
      for (const [way, amountInRaw] of [
        [BY_EIP3009, "250000000"],
        [BY_EIP3009, "250000001"],
        [BY_PERMIT2, "260000000"],
      ] as const)
        await buyerOf(service, index, way).pay("/a2mcp/verify", json(service.verifyBody({ amountInRaw })));
    });

    async function check(): Promise<number> {
      const { world: own, shown, warned } = fakeConsole();
      const tokens = createTokens(null, nodes);
      const payments = { db: service.server.service.db, tokens, nodes, confirmationsOf: () => 1 };
      const code = await assayIn(["payments", "check"], Object.assign(own, { payments }));
      printed = [...shown, ...warned].join("\n");
      return code;
    }
    /** A plain transfer to the payee, which is no purchase. */
    const give = (symbol: string, amount: bigint) =>
      mined(tokenOf(world, symbol, walletOf(world, 5)), "transfer", world.accounts.payee.address, amount);
    const change = (values: object, token = world.token("USDL")) =>
      service.server.service.db
        .updateTable("payments")
        .set(values)
        .where("nonce", "in", (query) =>
          query.selectFrom("payments").select("nonce").where("asset", "=", token).orderBy("nonce").limit(1),
        )
        .execute();

    it("agrees after purchases, a gift to the payee left out, and asks the token for its symbol", async () => {
      await give("USDL", 5_000_000n);
      expect(await check(), printed).to.equal(0);
      expect(printed).to.match(/settled here +0\.02 USDL in 2 payments[\s\S]*0\.02 USDL +the same/);
    });

    it("agrees on what was paid by Permit2, in whole units of 18 decimals, a gift left out", async () => {
      await give("USDT", BY_PERMIT2.price);
      expect(await check(), printed).to.equal(0);
      expect(printed).to.match(/settled here +0\.01 USDT in 1 payment\n[\s\S]*0\.01 USDT +the same/);
      for (const [changes, words] of [
        [{ state: "expired" }, /paid after all/],
        [{ state: "settled", amount: "1" }, /no transfer/],
      ] as const) {
        await change(changes, world.token("USDT"));
        expect(await check()).to.equal(1);
        expect(printed).to.match(words);
      }
      await change({ amount: String(BY_PERMIT2.price) }, world.token("USDT"));
      expect(await check()).to.equal(0);
    });

    it("tells a transfer of a payment that counts as never made", async () => {
      await change({ state: "expired" });
      expect(await check()).to.equal(1);
      expect(printed).to.include("NOT THE SAME").and.to.include("paid after all");
      await change({ state: "settling" });
      expect(await check(), printed).to.equal(0);
      expect(printed).to.match(/settling +0\.01 USDL/);
      await change({ state: "settled" });
    });

    it("tells a settled payment that the chain has no transfer of", async () => {
      await change({ amount: "10001" });
      expect(await check()).to.equal(1);
      expect(printed).to.include("no transfer");
      await change({ amount: "10000" });
      expect(await check()).to.equal(0);
    });

    it("tells a transfer that the book does not know", async () => {
      const { db } = service.server.service;
      const row = await rowOf(db, "payments", { asset: world.token("USDL") });
      await db.deleteFrom("payments").where("nonce", "=", row.nonce).execute();
      expect(await check()).to.equal(1);
      expect(printed).to.match(/not ours +0\.01 USDL in 0x/);
      await addRows(db, "payments", row);
      expect(await check()).to.equal(0);
    });
  });
});
