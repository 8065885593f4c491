/** Buying reports with the official client, on the real chain with the official facilitator library. */
import { expect } from "chai";
import { countOf, forEachEngine } from "../../support/database.ts";
import { expectProblem, expectStatus, json, paidWith } from "../../support/http.ts";
import { buyerOf, startPaidService, testPaidWorld, testPurchase } from "../../support/payments.ts";
import { ofSuite } from "../../support/suite.ts";
import { decodeHeader, encodeHeader, expectUnpaid, PRICE } from "../../support/x402.ts";

describe("the paid phase", () => {
  const world = testPaidWorld();

  forEachEngine((engine) => {
    const service = ofSuite(async () => startPaidService(world, await engine.createUrl()));
    const buy = (changes = {}) => buyerOf(service).pay("/a2mcp/verify", json(service.verifyBody(changes)));
    const { charged } = testPurchase(service);

    it("the paid phase sells a report to an agent without a key, for one transfer of the price", async () => {
      const { body, headers } = expectStatus(await buy(), 200);
      expect(body.decision).to.equal("ALLOW");
      const receipt = decodeHeader(headers.get("payment-response"));
      expect(receipt).to.deep.include({
        success: true,
        network: "eip155:31337",
        payer: buyerOf(service).wallet.address,
        amount: PRICE.toString(),
      });
      const { transaction } = receipt;
      expect((await world.provider.getTransactionReceipt(transaction))?.status).to.equal(1);
      expect(await charged()).to.equal(PRICE);

      const job = await service.open(body);
      expect(job.body.payment).to.deep.equal({ phase: "paid", state: "settled", transaction });
      expect(job.body.entitlement).to.deep.equal({ granted: true, reason: "paid" });
      expect(job.body.report.evidenceHash).to.equal(body.evidenceHash);
    });

    it("the paid phase asks with a challenge in header and body, and stores nothing for it", async () => {
      const before = await countOf(service.server.service.db, "jobs");
      const { headers, body } = expectStatus(await service.verify(service.verifyBody()), 402);
      expect(headers.get("content-type")).to.equal("application/problem+json");
      expect(body).to.include({ code: "payment_required", x402Version: 2 });
      const challenge = decodeHeader(headers.get("payment-required"));
      const { error, ...terms } = challenge;
      expect(terms).to.have.all.keys("x402Version", "resource", "accepts", "extensions");
      expect([body, error]).to.deep.include.members([{ ...body, ...terms }, body.code]);
      expect(challenge.resource.url).to.equal(`${service.url}/a2mcp/verify`);
      expect(challenge.accepts[0]).to.deep.include({
        scheme: "exact",
        network: "eip155:31337",
        asset: world.token("USDL"),
        amount: "10000",
        payTo: world.accounts.payee.address,
      });
      expect(await countOf(service.server.service.db, "jobs")).to.equal(before);
    });

    it("the paid phase withholds decision and report of a job until it is paid, and sells them once with all versions", async () => {
      const job = await service.newJob();
      expect(job.payment).to.deep.include({ phase: "paid", state: "required" });
      expect(job.payment.requirements[0].amount).to.equal("10000");
      expect(job.entitlement).to.deep.equal({ granted: false, reason: null });
      expect(job.reports[0].decision).to.equal(null);
      expect(job).not.to.have.property("report");
      const path = `/v1/jobs/${job.jobId}`;
      for (const unpaid of [
        await service.call(`${path}/report`),
        await service.post(`${path}/prepare-execution`, {}),
      ]) {
        expectProblem(unpaid, 402, "payment_required");
        expect(unpaid.body.resource.url).to.equal(`${service.url}${path}/report`);
      }

      const paid = await buyerOf(service).pay(`${path}/report`, { headers: { "x-api-key": service.key } });
      expectStatus(paid, 200);
      const prepared = expectStatus(await service.post(`${path}/prepare-execution`, {}), 200);
      expect(prepared.headers.get("payment-response")).to.equal(paid.headers.get("payment-response"));
      expect((await service.call(`${path}/report`)).body.version).to.equal(2);
      expect(await charged()).to.equal(PRICE);
      const { body: bought } = await service.call(path);
      expect(bought.payment.state).to.equal("settled");
      expect(bought.reports.map(({ decision }: any) => decision)).to.deep.equal(["ALLOW", "ALLOW"]);
    });

    it("the paid phase gives nothing to who knows the authorization but did not sign it so", async () => {
      const body = service.verifyBody({ amountInRaw: "250000079" });
      const signature = await buyerOf(service).sign(await service.verify(body));
      expect((await service.verify(body, signature)).status).to.equal(200);
      const other = decodeHeader(signature);
      other.payload.signature = `${other.payload.signature.slice(0, -4)}0000`;
      expectUnpaid(await service.verify(body, encodeHeader(other)), "already_used");
      // Nor to who has read everything from the chain, but does not know the quote.
      const { body: challenge } = await service.verify(body);
      const read = { ...decodeHeader(signature), accepted: challenge.accepts[0] };
      expectUnpaid(await service.verify(body, encodeHeader(read)), "other_purchase");
    });

    it("the paid phase answers a GET probe with the challenge, and takes no payment for it", async () => {
      const probe = await service.call("/a2mcp/verify", { key: null });
      expectProblem(probe, 402, "payment_required");
      const signature = await buyerOf(service).sign(probe);
      expectStatus(await service.call("/a2mcp/verify", { ...paidWith(signature), key: null }), 402);
      expectUnpaid(await service.verify(service.verifyBody(), signature), "other_purchase");
      expect(await charged()).to.equal(0n);
    });

    it("the paid phase judges for a buyer what is so at the moment of the sale, whatever was gathered for the 402", async () => {
      const buyer = buyerOf(service);
      const sold = async (amountInRaw: string, seconds: number) => {
        const body = service.verifyBody({ amountInRaw });
        const signature = await buyer.sign(await service.verify(body));
        const asked = await world.provider.getBlockNumber();
        await world.mine(1);
        world.clock.advance(seconds * 1_000);
        const from = Math.floor(world.clock.now() / 1_000);
        const { evidence } = (await service.verify(body, signature)).body;
        world.clock.advance(-seconds * 1_000);
        expect(evidence.capturedAt).to.be.at.least(from);
        return evidence.chain.blockNumber - asked;
      };
      expect(await sold("250000081", 0)).to.be.at.least(1);
      expect(await sold("250000082", 6)).to.be.at.least(1);
    });

    it("the paid phase delivers a DENY as a report, which is paid for", async () => {
      const denied = await buy({ amountInRaw: "999000000000" });
      expect([denied.status, denied.body.decision]).to.deep.equal([200, "DENY"]);
      expect(await charged()).to.equal(PRICE);
    });
  });
});
