/** A whole trade through tools alone, by the official clients of every protocol generation; the wallet stands outside. */
import { expect } from "chai";
import { keccak256, toUtf8Bytes } from "ethers";
import { canonicalHash } from "../../../attestor/values/canonical.ts";
import { connectHost, GENERATIONS, type Host } from "../../support/mcp.ts";
import { FOREIGN_WORDS, startFacilitator, type TestFacilitator } from "../../support/paymentFacilitator.ts";
import {
  buyerOf,
  startPaidService,
  testPaidService,
  testPaidWorld,
  testPurchase,
} from "../../support/payments.ts";
import { carryOut, type Service, walletOf, withoutProof } from "../../support/service.ts";
import { until } from "../../support/until.ts";
import { encodeHeader, PRICE } from "../../support/x402.ts";

/** From the list of assets to `confirmed`. */
async function trade(host: Host, service: Service, owner: number, pay: (job: any) => Promise<void>) {
  const { assets } = await host.use("list_supported_assets");
  const keyOf = (symbol: string) => assets.find((asset: any) => asset.symbol === symbol).assetKey;
  const { policies } = await host.use("get_verification_policy", { policyId: "STRICT_LIVE" });
  expect(policies.map(({ policyId }: any) => policyId)).to.deep.equal(["STRICT_LIVE"]);

  const wallet = walletOf(service.world, owner);
  const intent = service.jobBody({
    ownerAddress: wallet.address,
    inputAssetKey: keyOf("USDL"),
    outputAssetKey: keyOf("AAPLx"),
  });
  const job = await host.use("prepare_verification", intent);
  expect(await host.use("prepare_verification", intent)).to.deep.equal(job);
  await pay(job);

  const { report } = await host.documentAfter("get_verification", { jobId: job.jobId });
  expect(report).to.include({ version: 1, decision: "ALLOW" });
  expect(canonicalHash(report.evidence)).to.equal(report.evidenceHash);

  const prepared = await host.documentAfter("prepare_guard_trade", {
    jobId: job.jobId,
    deadlineSeconds: 600,
  });
  expect(prepared).to.include({ jobId: job.jobId, reportVersion: 2 });
  expect(prepared.execution.certificate.message.jobId).to.equal(keccak256(toUtf8Bytes(job.jobId)));
  const first = await host.documentAfter("get_verification", { jobId: job.jobId, version: 1 });
  expect(withoutProof(first.report)).to.deep.equal(withoutProof(report));

  const transactionHash = await carryOut(wallet, prepared.execution);
  const recorded = await host.use("get_execution_status", { jobId: job.jobId, transactionHash });
  expect(recorded.execution).to.include({ transactionHash });
  const again = await host.use("get_execution_status", { jobId: job.jobId, transactionHash });
  expect(again.execution.transactionHash).to.equal(transactionHash);
  const confirmed = await confirmedOf(host, job.jobId);
  expect(confirmed).to.include({ spent: "250 USDL", evidenceHash: prepared.report.evidenceHash });
  expect(confirmed.received).to.match(/^0\.9[0-9]* AAPLx$/);
  return job;
}

function confirmedOf(host: Host, jobId: string) {
  const execution = async () => (await host.use("get_execution_status", { jobId })).execution;
  return until("a confirmed trade", execution, ({ state }) => state === "confirmed");
}

describe("A trade through MCP tools alone", () => {
  const world = testPaidWorld();
  const service = testPaidService(world);
  const { charged } = testPurchase(service);
  const payFor = async (required: any, index = 0) =>
    encodeHeader(await buyerOf(service, index).client.createPaymentPayload(required));

  for (const [index, generation] of GENERATIONS.entries())
    it(`a trade through MCP tools alone is paid for by the host's wallet and carried out by a client of ${generation}`, async () => {
      await using host = await connectHost(generation, service.url, service.key);
      await trade(host, service, index, async ({ jobId, ...job }) => {
        expect(job).to.include({ payment: "required", decision: null, version: null });
        expect(job.understood).to.equal("amountInRaw 250000000 is 250 USDL for AAPLx");
        expect(job.next).to.contain("purchase_verification");
        // Reading costs nothing, and tells no more.
        expect(await host.use("get_verification", { jobId })).to.include({ decision: null, version: null });
        const { said } = await host.due("prepare_guard_trade", { jobId });
        expect(said).to.include({ code: "payment_required" });

        const { required: terms } = await host.due("purchase_verification", { jobId });
        const { body: http } = await service.call(`/v1/jobs/${jobId}`);
        expect(terms.accepts).to.deep.equal(http.payment.requirements);
        const uri = `assay://jobs/${jobId}/reports/1`;
        const unpaid = await host.client.readResource({ uri }).catch((error) => error);
        expect(unpaid.code).to.equal(402);
        expect(unpaid.data.paymentRequired.accepts).to.deep.equal(terms.accepts);
        const paymentSignature = await payFor(terms, index);
        const paid = await host.use("purchase_verification", { jobId, paymentSignature });
        expect(paid.payment).to.equal("settled");
        expect(paid.settlement).to.include({
          success: true,
          payer: walletOf(world, index).address,
          amount: PRICE.toString(),
        });
        // The same again, with and without the signature, charges nothing more.
        expect(await host.use("purchase_verification", { jobId, paymentSignature })).to.deep.equal(paid);
        expect(await host.use("purchase_verification", { jobId })).to.deep.equal(paid);
        expect(await charged()).to.equal(PRICE);
      });
      expect(await charged()).to.equal(PRICE);
    });

  /** A new job and a payment for it. */
  async function signed(host: Host): Promise<{ jobId: string; paymentSignature: string }> {
    const { jobId } = await host.use("prepare_verification", service.jobBody());
    const { required } = await host.due("purchase_verification", { jobId });
    return { jobId, paymentSignature: await payFor(required) };
  }
  const payingBy = (facilitator: TestFacilitator) =>
    startPaidService(world, "sqlite::memory:", { FACILITATOR_URL: facilitator.url });

  it("a tool does not say that nothing was stored, nor to pay anew, when a payment's outcome is not known", async () => {
    await using facilitator = await startFacilitator(world);
    await using other = await payingBy(facilitator);
    await using host = await connectHost("2026", other.url, other.key);
    const payment = await signed(host);
    facilitator.settleFault = "error";
    const unknown = await host.failure("purchase_verification", payment);
    expect(unknown.code).to.equal("upstream_unavailable");
    expect(unknown.next).to.contain("Sign no new payment").and.not.contain("Nothing was stored");
  });

  it("a tool says that a payment is being settled, and nothing of what the facilitator says", async () => {
    await using facilitator = await startFacilitator(world);
    await using other = await payingBy(facilitator);
    await using host = await connectHost("2025", other.url, other.key);
    const payment = await signed(host);
    const { jobId } = payment;
    const [begun, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    facilitator.settleFault = "settle-then-error";
    facilitator.beforeSettle = async () => {
      begun.resolve();
      await go.promise;
    };
    const paying = host.call("purchase_verification", payment);
    await begun.promise;
    const asked = await host.use("purchase_verification", { jobId });
    expect(asked).to.include({ payment: "settling", settlement: null });
    expect(asked.next).to.contain("do not pay again");
    const early = await host.failure("prepare_guard_trade", { jobId });
    expect(early).to.include({ code: "payment_in_progress" });
    go.resolve();
    expect(JSON.stringify(await paying)).to.not.contain(FOREIGN_WORDS);
    // The chain shows the payment, regardless of what the facilitator said.
    expect(await host.use("purchase_verification", payment)).to.include({ payment: "settled" });
  });
});
