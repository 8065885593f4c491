/** Payments that can no longer be made. In a world of its own: its time runs ahead of the client's. */
import { expect } from "chai";
import { type BaseWallet, Wallet } from "ethers";
import { authorizationOf } from "../../../api/payments/authorization.ts";
import { readPayment } from "../../../api/payments/payload.ts";
import type { Answer } from "../../support/http.ts";
import { testFacilitator } from "../../support/paymentFacilitator.ts";
import {
  approvePermit2,
  createPaidWorld,
  databaseIn,
  income,
  nonceOf,
  signByHand,
  startPaidService,
  stateOf,
  verify,
  verifyBody,
  WAYS,
} from "../../support/payments.ts";
import { walletOf } from "../../support/service.ts";
import { ofSuite } from "../../support/suite.ts";
import { testWorld } from "../../support/world.ts";

for (const way of WAYS)
  describe(`an authorization by ${way.title} that was sent and never used`, () => {
    const world = testWorld(createPaidWorld);
    const facilitator = testFacilitator(world);
    before(() => approvePermit2(world, [walletOf(world)]));
    const service = ofSuite(() =>
      startPaidService(world, databaseIn(world), { FACILITATOR_URL: facilitator.url }),
    );

    const byHand = (challenge: Answer, payer: BaseWallet) => signByHand(world, challenge, payer, {}, way);
    /** Unix seconds from which on it is worth nothing. */
    const endOf = (signature: string) => authorizationOf(readPayment(signature)).validBefore;
    /** Block time moves past the authorization's end. */
    async function outlive(signature: string): Promise<void> {
      const validBefore = endOf(signature);
      world.clock.set(Number(validBefore) * 1000);
      await world.tick(0);
    }
    const reconcile = () => service.server.services.payments?.reconcile();

    it("keeps its job open until block time is past its end, then frees it, and nothing was charged", async () => {
      const before = await income(world, way);
      const { body: job } = await service.post("/v1/jobs", service.jobBody());
      const path = `/v1/jobs/${job.jobId}/report`;
      const stranger = Wallet.createRandom();
      const signature = await byHand(await service.call(path), stranger);
      const ask = (given?: string) =>
        service.call(path, given === undefined ? {} : { headers: { "payment-signature": given } });

      facilitator.verifyFault = "credulous";
      expect((await ask(signature)).status).to.equal(503);
      expect(await stateOf(service, signature)).to.equal("settling");
      // Its clock says that it is over; the chain does not say so yet.
      const validBefore = endOf(signature);
      world.clock.set(Number(validBefore) * 1000 - 2_000);
      await reconcile();
      expect((await ask()).body.code).to.equal("payment_in_progress");
      expect((await service.call(`/v1/jobs/${job.jobId}`)).body.payment.state).to.equal("settling");

      await outlive(signature);
      await reconcile();
      expect(await stateOf(service, signature)).to.equal("expired");
      facilitator.verifyFault = null;
      const late = await ask(signature);
      expect([late.status, late.body.paymentError]).to.deep.equal([402, "expired"]);
      expect(await income(world, way)).to.equal(before);

      // The job has a key, so its report was kept for another payment.
      const paid = await ask(await byHand(late, walletOf(world)));
      expect(paid.status).to.equal(200);
      expect((await income(world, way)) - before).to.equal(way.price);
    });

    it("keeps nobody but its payer from buying the same body meanwhile", async () => {
      const before = await income(world, way);
      const [stranger, body] = [Wallet.createRandom(), verifyBody(service)];
      facilitator.verifyFault = "credulous";
      expect(
        (await verify(service, body, await byHand(await verify(service, body), stranger))).status,
      ).to.equal(503);
      const challenge = await verify(service, body);
      expect(challenge.status).to.equal(402);
      // A second authorization of the one whose first is open is not sent, however old the first is.
      world.clock.advance(700_000);
      const again = await byHand(challenge, stranger);
      expect((await verify(service, body, again)).body.code).to.not.equal("payment_required");
      expect(await stateOf(service, again)).to.equal(undefined);
      facilitator.verifyFault = null;
      world.clock.advance(-700_000);
      const bought = await verify(service, body, await byHand(challenge, walletOf(world)));
      expect(bought.status).to.equal(200);
      expect((await income(world, way)) - before).to.equal(way.price);
    });

    it("lets the same body be bought again", async () => {
      const before = await income(world, way);
      const body = verifyBody(service, { amountInRaw: "250000077" });
      const stranger = Wallet.createRandom();
      const signature = await byHand(await verify(service, body), stranger);
      facilitator.verifyFault = "credulous";
      expect((await verify(service, body, signature)).status).to.equal(503);
      facilitator.verifyFault = null;
      await outlive(signature);
      await reconcile();
      // What nobody paid for is neither free nor kept.
      const { db, services } = service.server;
      const { job_id } = await db
        .selectFrom("payments")
        .select("job_id")
        .where("nonce", "=", nonceOf(signature))
        .executeTakeFirstOrThrow();
      expect((await services.payments?.entitlementOf({ id: job_id }))?.granted).to.equal(false);
      const reports = await db.selectFrom("reports").select("version").where("job_id", "=", job_id).execute();
      expect(reports).to.deep.equal([]);

      const challenge = await verify(service, body);
      expect(challenge.status).to.equal(402);
      expect((await verify(service, body, await byHand(challenge, walletOf(world)))).status).to.equal(200);
      expect((await income(world, way)) - before).to.equal(way.price);
    });
  });
