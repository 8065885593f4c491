/** The log is public and names decisions: of a job that must be paid for it has none before somebody paid. */
import { expect } from "chai";
import { countOf, forEachEngine } from "../../support/database.ts";
import { expectStatus } from "../../support/http.ts";
import { buyerOf, startPaidService, testPaidWorld } from "../../support/payments.ts";
import { type Service, startService } from "../../support/service.ts";
import { ofSuite } from "../../support/suite.ts";
import { until } from "../../support/until.ts";

describe("the log entry of a job that must be paid for", () => {
  const world = testPaidWorld();

  forEachEngine((engine) => {
    let databaseUrl = "";
    const service = ofSuite(async () => {
      databaseUrl = await engine.createUrl();
      return startPaidService(world, databaseUrl);
    });

    /** Decisions that anybody finds in the log under an evidence hash. */
    async function decisionsOf(evidenceHash: string, asked: Service = service): Promise<string[]> {
      const { body } = expectStatus(
        await asked.call(`/log/find?evidenceHash=${evidenceHash}`, { key: null }),
        200,
      );
      return body.entries.map(({ entry }: { entry: string }) => JSON.parse(entry).decision);
    }
    const firstHash = (job: { reports: { evidenceHash: string }[] }) => job.reports[0]!.evidenceHash;
    const buyReport = async (jobId: string) => {
      const bought = await buyerOf(service).pay(`/v1/jobs/${jobId}/report`, {
        headers: { "x-api-key": service.key },
      });
      return expectStatus(bought, 200).body;
    };
    /** Stored after them, so once the log has it, the log has had its chance to take them. */
    async function logAnother(): Promise<void> {
      const last = await buyReport((await service.newJob()).jobId);
      await until(
        "the entry of a job that was paid for",
        async () => (await decisionsOf(last.evidenceHash))[0],
      );
    }

    it("is not in the log before, whatever the decision is", async () => {
      const allowed = await service.newJob();
      const denied = await service.newJob({ maxSlippageBps: 5_000 });
      await logAnother();
      expect(await decisionsOf(firstHash(allowed))).to.deep.equal([]);
      expect(await decisionsOf(firstHash(denied))).to.deep.equal([]);
    });

    it("is in the log once with the payment, and the report that was bought has its proof", async () => {
      const job = await service.newJob({ maxSlippageBps: 5_000 });
      const report = await buyReport(job.jobId);
      expect([report.decision, report.evidenceHash]).to.deep.equal(["DENY", firstHash(job)]);
      expect(report.log.proof).to.match(/^c2sp\.org\/tlog-proof@v1/);
      await logAnother();
      expect(await decisionsOf(firstHash(job))).to.deep.equal(["DENY"]);
    });

    it("is in the log when a service that gives its reports for nothing takes over", async () => {
      const job = await service.newJob();
      await service.stop();
      const free = await startService(world, databaseUrl);
      try {
        await until("the entry", async () => (await decisionsOf(firstHash(job), free))[0]);
        expect(await decisionsOf(firstHash(job), free)).to.deep.equal(["ALLOW"]);
        expect(await countOf(free.server.service.db, "log_withheld")).to.equal(0);
      } finally {
        await free.stop();
      }
    });
  });
});
