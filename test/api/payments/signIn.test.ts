/** Who paid comes back with a signature of the same wallet, on the real chain, with the official client. */
import { expect } from "chai";
import { forEachEngine } from "../../support/database.ts";
import { answerOf, json } from "../../support/http.ts";
import { buyerOf, createPaidWorld, decodeHeader, income, startPaidService, verify, verifyBody } from "../../support/payments.ts";
import { type Service, walletOf, withoutProof } from "../../support/service.ts";
import { challengeOf, signedIn, signInFor, signingInFetch, withSignIn } from "../../support/signIn.ts";
import type { TestWorld } from "../../support/world.ts";

describe("a payer who signs in", () => {
  let world: TestWorld;
  before(async () => {
    world = await createPaidWorld();
  });
  after(() => world.stop());

  forEachEngine((engine) => {
    let service: Service;
    let bought: any;
    before(async () => {
      service = await startPaidService(world, await engine.createUrl());
      bought = (await buyerOf(service).pay("/a2mcp/verify", json(verifyBody(service)))).body;
    });
    after(() => service.stop());

    it("finds what it bought with the official client unchanged, and opens it with a new token", async () => {
      const buyer = buyerOf(service);
      const fetching = signingInFetch(buyer);
      const list = await answerOf(await fetching(`${service.url}/a2mcp/purchases`));
      expect(list.status).to.equal(200);
      expect(list.body.next).to.equal(null);
      const [purchase] = list.body.purchases;
      expect(purchase).to.include({ jobId: bought.jobId, evidenceHash: bought.evidenceHash, decision: "ALLOW" });
      expect(purchase.receipt).to.include({ payer: buyer.wallet.address, asset: world.token("USDL") });

      const path = `/a2mcp/purchases/${bought.jobId}`;
      const opened = await answerOf(await fetching(`${service.url}${path}`));
      expect(opened.status).to.equal(200);
      const { jobToken: _, ...report } = bought;
      expect(withoutProof(opened.body.report)).to.deep.equal(withoutProof(report));
      expect(decodeHeader(opened.headers.get("payment-response")).transaction).to.equal(purchase.receipt.transaction);
      const asBearer = { key: null, headers: { authorization: `Bearer ${opened.body.jobToken}` } };
      expect((await service.call(`/v1/jobs/${bought.jobId}`, asBearer)).status).to.equal(200);
    });
  });
});
