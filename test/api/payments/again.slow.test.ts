/** A buyer who signs anew for what was bought a moment ago: answered from the first purchase, charged once. */
import { setTimeout as sleep } from "node:timers/promises";
import { appendPaymentIdentifierToExtensions } from "@x402/extensions/payment-identifier";
import { expect } from "chai";
import { changeRows, forEachEngine, rowOf } from "../../support/database.ts";
import { dollarsOf, mined, tokenOf } from "../../support/dollars.ts";
import { type Answer, expectProblem, expectStatus, insisted, json } from "../../support/http.ts";
import { testFacilitator } from "../../support/paymentFacilitator.ts";
import { startPaidService, testPaidWorld, testPurchase } from "../../support/payments.ts";
import { walletOf } from "../../support/service.ts";
import { ofSuite } from "../../support/suite.ts";
import { decodeHeader, encodeHeader, expectUnpaid, PRICE, termsIn } from "../../support/x402.ts";

describe("a second payment for the same body", () => {
  const world = testPaidWorld();
  const facilitator = testFacilitator(world);

  forEachEngine((engine) => {
    let databaseUrl: string;
    const paid = () => startPaidService(world, databaseUrl, { FACILITATOR_URL: facilitator.url });
    const service = ofSuite(async () => {
      databaseUrl = await engine.createUrl();
      return paid();
    });
    const purchase = testPurchase(service);
    const { buyer, challenge, charged } = purchase;

    const buy = async (): Promise<Answer> =>
      expectStatus(await service.verify(purchase.body, await purchase.sign()), 200);
    /** Whether it was answered from a purchase before. */
    const replayed = ({ status, headers }: Answer) => [status, headers.get("idempotent-replayed")];
    /** A payment with an identifier, as a client with the extension makes it. */
    async function withIdentifier(id: string, given = purchase.body): Promise<string> {
      const asked = await service.verify(given);
      const { extensions } = termsIn(asked);
      const payment = decodeHeader(await buyer.sign(asked));
      const signed = { ...payment, extensions: appendPaymentIdentifierToExtensions(extensions, id) };
      expect(signed.extensions["payment-identifier"].info.id).to.equal(id);
      return encodeHeader(signed);
    }

    it("a second payment for the same body is answered from the first by the official client whose answer was swallowed on the way, and says so", async () => {
      // The whole answer went out; nobody at this end can know that it never arrived.
      const lost = await buyer.pay("/a2mcp/verify", json(purchase.body));
      expect(replayed(lost)).to.deep.equal([200, null]);
      const again = await buyer.pay("/a2mcp/verify", json(purchase.body));
      expect(replayed(again)).to.deep.equal([200, "true"]);
      expect(again.body.jobId).to.equal(lost.body.jobId);
      expect(again.headers.get("payment-response")).to.equal(lost.headers.get("payment-response"));
      expect(await charged()).to.equal(PRICE);
    });

    it("a second payment for the same body is answered from the first when the payer's balance does not cover it any more", async () => {
      const first = await buy();
      const all = await dollarsOf(world, buyer.wallet.address);
      const keeper = walletOf(world, 1);
      await mined(tokenOf(world, "USDL", buyer.wallet), "transfer", keeper.address, all);
      try {
        const again = await service.verify(purchase.body, await purchase.sign());
        expect([again.status, again.body.jobId]).to.deep.equal([200, first.body.jobId]);
        // A body that was not bought is still unavailable.
        const other = purchase.another();
        expectUnpaid(
          await service.verify(other, await buyer.sign(await service.verify(other))),
          "insufficient_funds",
        );
      } finally {
        await mined(tokenOf(world, "USDL", keeper), "transfer", buyer.wallet.address, all);
      }
      expect(await charged()).to.equal(PRICE);
    });

    it("a second payment for the same body that was answered from the first stands for it when it comes again itself, and is never charged", async () => {
      const first = await buy();
      const second = await purchase.sign();
      for (const answer of [
        await service.verify(purchase.body, second),
        await service.verify(purchase.body, second),
      ]) {
        expect(replayed(answer), answer.text).to.deep.equal([200, "true"]);
        expect(answer.body.jobId).to.equal(first.body.jobId);
        expect(answer.headers.get("payment-response")).to.equal(first.headers.get("payment-response"));
      }
      expect(await charged()).to.equal(PRICE);
    });

    it("a second payment for another body buys anew", async () => {
      await buy();
      purchase.body = purchase.another();
      expect((await buy()).headers.get("idempotent-replayed")).to.equal(null);
      expect(await charged()).to.equal(2n * PRICE);
    });

    it("a second payment for the same body buys anew when the first one's quote has ended", async () => {
      const first = await buy();
      const its = { job_id: first.body.jobId };
      const { answers_until, expires_at } = await rowOf(service.server.service.db, "body_purchases", its);
      const ended = { answers_until: answers_until - 601, expires_at: expires_at - 601 };
      await changeRows(service.server.service.db, "body_purchases", ended, its);
      const again = await buy();
      expect(again.headers.get("idempotent-replayed")).to.equal(null);
      expect(again.body.jobId).not.to.equal(first.body.jobId);
      expect(await charged()).to.equal(2n * PRICE);
    });

    it("a second payment for the same body with the same payment-identifier is the same purchase, and with a different one a new one", async () => {
      const first = await service.verify(purchase.body, await withIdentifier("purchase-number-1"));
      const same = await service.verify(purchase.body, await withIdentifier("purchase-number-1"));
      expect(replayed(same)).to.deep.equal([200, "true"]);
      expect(same.body.jobId).to.equal(first.body.jobId);
      expect(await charged()).to.equal(PRICE);
      const different = await service.verify(purchase.body, await withIdentifier("purchase-number-2"));
      expect(replayed(different)).to.deep.equal([200, null]);
      expect(different.body.jobId).not.to.equal(first.body.jobId);
      expect(await charged()).to.equal(2n * PRICE);
      // Without one it is a copy of either.
      expect([first.body.jobId, different.body.jobId]).to.include((await buy()).body.jobId);
      expect(await charged()).to.equal(2n * PRICE);
    });

    it("a second payment for the same body with the payment-identifier of another body is a conflict, and charges nothing", async () => {
      const id = `purchase-of-a-body`;
      expect((await service.verify(purchase.body, await withIdentifier(id))).status).to.equal(200);
      const other = purchase.another();
      const answer = await service.verify(other, await withIdentifier(id, other));
      expectProblem(answer, 409, "idempotency_conflict");
      expect(await charged()).to.equal(PRICE);
      const payment = decodeHeader(await withIdentifier(`${id}-2`, other));
      const extensions = { "payment-identifier": { info: { required: false, id: "no good" } } };
      expectUnpaid(await service.verify(other, encodeHeader({ ...payment, extensions })), "malformed");
    });

    it("a second payment for the same body and eighteen more at once over two processes are one charge, and every answer is the same report", async () => {
      await using other = await paid();
      const asked = await challenge();
      const signatures = await Promise.all(Array.from({ length: 20 }, () => buyer.sign(asked)));
      let arrived = 0;
      // All are verified before the first one is settled.
      facilitator.afterVerify = async () => {
        arrived++;
        for (let step = 0; arrived < 20 && step < 50; step++) await sleep(10);
      };
      const verify = (signature: string, index: number) =>
        insisted(() => (index % 2 === 0 ? service : other).verify(purchase.body, signature));
      const answers = await Promise.all(signatures.map(verify));
      expect(answers.map(({ status }) => status)).to.deep.equal(Array(20).fill(200));
      expect(new Set(answers.map((answer) => answer.body.jobId)).size).to.equal(1);
      expect(answers.filter(({ headers }) => headers.get("idempotent-replayed") === null)).to.have.length(1);
      expect(await charged()).to.equal(PRICE);
      for (const { body } of answers) expect((await service.open(body)).status).to.equal(200);
    });

    it("a second payment for the same body that is the first one again gives each of sixty copies a token that opens the job", async () => {
      const signature = await purchase.sign();
      const copy = () => insisted(() => service.verify(purchase.body, signature), [409]);
      const copies = await Promise.all(Array.from({ length: 60 }, copy));
      expect(copies.map(({ status }) => status)).to.deep.equal(Array(60).fill(200));
      const receipts = copies.map(({ headers }) => headers.get("payment-response"));
      expect(new Set(receipts).size).to.equal(1);
      expect(new Set(copies.map(({ body }) => body.evidenceHash)).size).to.equal(1);
      const opened = await Promise.all(copies.map(({ body }) => service.open(body)));
      expect(opened.map(({ status }) => status)).to.deep.equal(Array(60).fill(200));
      expect(await charged()).to.equal(PRICE);
    });
  });
});
