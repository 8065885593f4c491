/** Payments that can no longer be made. In a world of its own: its time runs ahead of the client's. */
import { expect } from "chai";
import { Wallet } from "ethers";
import { localPayments } from "../../../devnet/facilitator.ts";
import { databaseFile } from "../../support/paymentDatabase.ts";
import { startFacilitator, type TestFacilitator } from "../../support/paymentFacilitator.ts";
import {
  createPaidWorld,
  decodeHeader,
  income,
  PRICE,
  signByHand,
  verify,
  verifyBody,
} from "../../support/payments.ts";
import { type Service, startService, walletOf } from "../../support/service.ts";
import type { TestWorld } from "../../support/world.ts";

describe("an authorization that was sent and never used", () => {
  let world: TestWorld;
  let facilitator: TestFacilitator;
  let service: Service;
  const database = databaseFile();
  before(async () => {
    world = await createPaidWorld();
    facilitator = await startFacilitator(world);
    service = await startService(
      world,
      database.url,
      { PAYMENT_PHASE: "paid", FACILITATOR_URL: facilitator.url },
      { payments: localPayments },
    );
  });
  after(async () => {
    await service.stop();
    await facilitator.stop();
    await world.stop();
    await database.remove();
  });

  /** Block time moves past the authorization's end. */
  async function outlive(signature: string): Promise<void> {
    const { validBefore } = decodeHeader(signature).payload.authorization;
    world.clock.set(Number(validBefore) * 1000);
    await world.tick(0);
  }
  const stateOf = async (signature: string) =>
    (
      await service.server.db
        .selectFrom("payments")
        .select("state")
        .where("nonce", "=", decodeHeader(signature).payload.authorization.nonce)
        .executeTakeFirst()
    )?.state;

  it("keeps its job open until block time is past its end, then frees it, and nothing was charged", async () => {
    const before = await income(world);
    const { body: job } = await service.post("/v1/jobs", service.jobBody());
    const path = `/v1/jobs/${job.jobId}/report`;
    const stranger = Wallet.createRandom();
    const signature = await signByHand(world, await service.call(path), stranger);
    const ask = (given?: string) =>
      service.call(path, given === undefined ? {} : { headers: { "payment-signature": given } });

    facilitator.verifyFault = "credulous";
    expect((await ask(signature)).status).to.equal(503);
    expect(await stateOf(signature)).to.equal("settling");
    // Its clock says that it is over; the chain does not say so yet.
    const { validBefore } = decodeHeader(signature).payload.authorization;
    world.clock.set(Number(validBefore) * 1000 - 2_000);
    await service.server.services.payments?.reconcile();
    expect((await ask()).body.code).to.equal("payment_in_progress");
    expect((await service.call(`/v1/jobs/${job.jobId}`)).body.payment.state).to.equal("settling");

    await outlive(signature);
    await service.server.services.payments?.reconcile();
    expect(await stateOf(signature)).to.equal("expired");
    facilitator.verifyFault = null;
    const late = await ask(signature);
    expect([late.status, late.body.paymentError]).to.deep.equal([402, "expired"]);
    expect(await income(world)).to.equal(before);

    // The job has a key, so its report was kept for another payment.
    const paid = await ask(await signByHand(world, late, walletOf(world)));
    expect(paid.status).to.equal(200);
    expect((await income(world)) - before).to.equal(PRICE);
  });

  it("keeps nobody but its payer from buying the same body meanwhile", async () => {
    const before = await income(world);
    const [stranger, body] = [Wallet.createRandom(), verifyBody(service)];
    facilitator.verifyFault = "credulous";
    expect(
      (await verify(service, body, await signByHand(world, await verify(service, body), stranger))).status,
    ).to.equal(503);
    const challenge = await verify(service, body);
    expect(challenge.status).to.equal(402);
    // A second authorization of the one whose first is open is not sent, however old the first is.
    world.clock.advance(700_000);
    const again = await signByHand(world, challenge, stranger);
    expect((await verify(service, body, again)).body.code).to.not.equal("payment_required");
    expect(await stateOf(again)).to.equal(undefined);
    facilitator.verifyFault = null;
    world.clock.advance(-700_000);
    const bought = await verify(service, body, await signByHand(world, challenge, walletOf(world)));
    expect(bought.status).to.equal(200);
    expect((await income(world)) - before).to.equal(PRICE);
  });

  it("lets the same body be bought again", async () => {
    const before = await income(world);
    const body = verifyBody(service, { amountInRaw: "250000077" });
    const stranger = Wallet.createRandom();
    const signature = await signByHand(world, await verify(service, body), stranger);
    facilitator.verifyFault = "credulous";
    expect((await verify(service, body, signature)).status).to.equal(503);
    facilitator.verifyFault = null;
    await outlive(signature);
    await service.server.services.payments?.reconcile();
    // What nobody paid for is neither free nor kept.
    const { db, services } = service.server;
    const { job_id } = await db
      .selectFrom("payments")
      .select("job_id")
      .where("nonce", "=", decodeHeader(signature).payload.authorization.nonce)
      .executeTakeFirstOrThrow();
    expect((await services.payments?.entitlementOf({ id: job_id }))?.granted).to.equal(false);
    const reports = await db.selectFrom("reports").select("version").where("job_id", "=", job_id).execute();
    expect(reports).to.deep.equal([]);

    const challenge = await verify(service, body);
    expect(challenge.status).to.equal(402);
    expect(
      (await verify(service, body, await signByHand(world, challenge, walletOf(world)))).status,
    ).to.equal(200);
    expect((await income(world)) - before).to.equal(PRICE);
  });
});
