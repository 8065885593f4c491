/** How often one request looks up the terms of a job and the payment for it. */
import { expect } from "chai";
import { forEachEngine } from "../../support/database.ts";
import { type Answer, paidWith } from "../../support/http.ts";
import { buyerOf, startPaidService, testPaidWorld } from "../../support/payments.ts";
import { ofSuite } from "../../support/suite.ts";

const TERMS = /^select .*from "payment_terms"/s;
const PAYMENTS = /^select .*(from|join) "payments"/s;
/** The reconciler asks on its own time, and so do the metrics. */
const BACKGROUND = /"next_look_at" <=|count\(/;

describe("a request to the paid phase", () => {
  const world = testPaidWorld();

  forEachEngine((engine) => {
    const statements: string[] = [];
    const service = ofSuite(async () =>
      startPaidService(world, await engine.createUrl(), {}, { onQuery: ({ sql }) => statements.push(sql) }),
    );

    /** @returns the answer's status, then how often it looked for terms and for payments */
    async function lookupsOf(request: () => Promise<Answer>): Promise<[number, number, number]> {
      statements.length = 0;
      const { status } = await request();
      const asked = statements.filter((sql) => !BACKGROUND.test(sql));
      return [
        status,
        asked.filter((sql) => TERMS.test(sql)).length,
        asked.filter((sql) => PAYMENTS.test(sql)).length,
      ];
    }

    it("a request for a report looks up the job's terms and its payment once, unpaid, paid now and paid before", async () => {
      const path = await service.newReport();
      const unpaid = await service.call(path);
      const payment = paidWith(await buyerOf(service).sign(unpaid));
      expect(await lookupsOf(() => service.call(path))).to.deep.equal([402, 1, 1]);
      expect(await lookupsOf(() => service.call(path, payment))).to.deep.equal([200, 1, 1]);
      expect(await lookupsOf(() => service.call(path, payment))).to.deep.equal([200, 1, 1]);
      expect(await lookupsOf(() => service.call(path))).to.deep.equal([200, 1, 1]);
    });

    it("a request with another job's payment is refused after one lookup of each", async () => {
      const jobs = await Promise.all([service.newJob(), service.newJob()]);
      const [one, other] = jobs.map(({ jobId }) => `/v1/jobs/${jobId}/report`) as [string, string];
      const payment = paidWith(await buyerOf(service).sign(await service.call(one)));
      expect((await service.call(one, payment)).status).to.equal(200);
      expect(await lookupsOf(() => service.call(other, payment))).to.deep.equal([402, 1, 1]);
    });

    it("a request that buys a body looks once at the authorization and once at what its payer bought", async () => {
      const body = service.verifyBody({ amountInRaw: "251000000" });
      const signature = await buyerOf(service).sign(await service.verify(body));
      expect(await lookupsOf(() => service.verify(body))).to.deep.equal([402, 0, 1]);
      expect(await lookupsOf(() => service.verify(body, signature))).to.deep.equal([200, 0, 2]);
      expect(await lookupsOf(() => service.verify(body, signature))).to.deep.equal([200, 0, 1]);
      const again = await buyerOf(service).sign(await service.verify(body));
      expect(await lookupsOf(() => service.verify(body, again))).to.deep.equal([200, 0, 2]);
    });

    it("a request for a job looks up each once", async () => {
      const { jobId } = await service.newJob();
      expect(await lookupsOf(() => service.call(`/v1/jobs/${jobId}`))).to.deep.equal([200, 1, 1]);
      expect(await lookupsOf(() => service.post("/v1/jobs", service.jobBody()))).to.deep.equal([201, 1, 1]);
    });
  });
});
