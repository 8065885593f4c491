/** Payments that can no longer be made. In a world of its own: its time runs ahead of the client's. */
import { expect } from "chai";
import { type BaseWallet, Wallet } from "ethers";
import { authorizationOf, readPayment } from "../../../api/payments/payload.ts";
import { rowOf, rowsOf } from "../../support/database.ts";
import { approvePermit2 } from "../../support/dollars.ts";
import { type Answer, expectStatus, paidWith } from "../../support/http.ts";
import { testFacilitator } from "../../support/paymentFacilitator.ts";
import { stateOf, testPaidService, testPaidWorld, testPurchase } from "../../support/payments.ts";
import { walletOf } from "../../support/service.ts";
import { expectUnpaid, nonceOf, signByHand, WAYS } from "../../support/x402.ts";

for (const way of WAYS)
  describe(`an authorization by ${way.title} that was sent and never used`, () => {
    const world = testPaidWorld();
    const facilitator = testFacilitator(world);
    before(() => approvePermit2(world, [walletOf(world)]));
    const service = testPaidService(world, () => ({ FACILITATOR_URL: facilitator.url }));
    const { charged } = testPurchase(service, way);

    const byHand = (challenge: Answer, payer: BaseWallet) => signByHand(world, challenge, payer, {}, way);
    /** Unix seconds from which on it is worth nothing. */
    const endOf = (signature: string) => authorizationOf(readPayment(signature)).validBefore;
    /** Block time moves past the authorization's end. */
    async function outlive(signature: string): Promise<void> {
      world.clock.set(Number(endOf(signature)) * 1000);
      await world.tick(0);
    }
    const reconcile = () => service.server.service.payments?.reconcile();

    it("an authorization that was sent and never used keeps its job open until block time is past its end, then frees it, and nothing was charged", async () => {
      const { jobId } = await service.newJob();
      const path = `/v1/jobs/${jobId}/report`;
      const signature = await byHand(await service.call(path), Wallet.createRandom());
      const ask = (given?: string) => service.call(path, paidWith(given));

      facilitator.verifyFault = "credulous";
      expect((await ask(signature)).status).to.equal(503);
      expect(await stateOf(service, signature)).to.equal("settling");
      // Its clock says that it is over; the chain does not say so yet.
      world.clock.set(Number(endOf(signature)) * 1000 - 2_000);
      await reconcile();
      expect((await ask()).body.code).to.equal("payment_in_progress");
      expect((await service.call(`/v1/jobs/${jobId}`)).body.payment.state).to.equal("settling");

      await outlive(signature);
      await reconcile();
      expect(await stateOf(service, signature)).to.equal("expired");
      facilitator.verifyFault = null;
      const late = expectUnpaid(await ask(signature), "expired");
      expect(await charged()).to.equal(0n);

      // The job has a key, so its report was kept for another payment.
      expectStatus(await ask(await byHand(late, walletOf(world))), 200);
      expect(await charged()).to.equal(way.price);
    });

    it("an authorization that was sent and never used keeps nobody but its payer from buying the same body meanwhile", async () => {
      const [stranger, body] = [Wallet.createRandom(), service.verifyBody()];
      facilitator.verifyFault = "credulous";
      const first = await byHand(await service.verify(body), stranger);
      expect((await service.verify(body, first)).status).to.equal(503);
      const challenge = expectStatus(await service.verify(body), 402);
      // A second authorization of the one whose first is open is not sent, however old the first is.
      world.clock.advance(700_000);
      const again = await byHand(challenge, stranger);
      expect((await service.verify(body, again)).body.code).to.not.equal("payment_required");
      expect(await stateOf(service, again)).to.equal(undefined);
      facilitator.verifyFault = null;
      world.clock.advance(-700_000);
      expectStatus(await service.verify(body, await byHand(challenge, walletOf(world))), 200);
      expect(await charged()).to.equal(way.price);
    });

    it("an authorization that was sent and never used lets the same body be bought again", async () => {
      const body = service.verifyBody({ amountInRaw: "250000077" });
      const signature = await byHand(await service.verify(body), Wallet.createRandom());
      facilitator.verifyFault = "credulous";
      expect((await service.verify(body, signature)).status).to.equal(503);
      facilitator.verifyFault = null;
      await outlive(signature);
      await reconcile();
      // What nobody paid for is neither free nor kept.
      const { db, payments } = service.server.service;
      const { job_id } = await rowOf(db, "payments", { nonce: nonceOf(signature) });
      expect((await payments?.entitlementOf({ id: job_id }))?.granted).to.equal(false);
      expect(await rowsOf(db, "reports", { job_id })).to.deep.equal([]);

      const challenge = expectStatus(await service.verify(body), 402);
      expect((await service.verify(body, await byHand(challenge, walletOf(world)))).status).to.equal(200);
      expect(await charged()).to.equal(way.price);
    });
  });
