/** Nothing is certified that is not yet in a signed checkpoint of the decision log; and what a caller sees while there is none. */
import { expect } from "chai";
import { developmentLogSigner } from "../../../api/log/key.ts";
import { LOCAL_ORIGIN } from "../../../api/settings/logSettings.ts";
import { openCheckpoint } from "../../../attestor/log/checkpoint.ts";
import { entryOf, entryText } from "../../../attestor/log/entry.ts";
import { HASHER } from "../../../attestor/log/hasher.ts";
import { isIncluded } from "../../../attestor/log/merkle.ts";
import { parseTlogProof } from "../../../attestor/log/tlogProof.ts";
import { utf8 } from "../../../attestor/values/bytes.ts";
import { forAlikeEngines } from "../../support/database.ts";
import { leaseToAnother } from "../../support/leases.ts";
import { type Service, startService } from "../../support/service.ts";
import { testWorld } from "../../support/world.ts";

const logs = [developmentLogSigner().keyOf(LOCAL_ORIGIN)];

function expectProved(report: any): void {
  const { index, path, checkpoint } = parseTlogProof(report.log.proof);
  const { size, root } = openCheckpoint(checkpoint, { logs });
  const leafHash = HASHER.leaf(utf8(entryText(entryOf(report, report.log.salt))));
  expect(isIncluded({ index, size, leafHash, proof: path, root })).to.equal(true);
}

describe("prepare-execution and the decision log", () => {
  const world = testWorld();

  forAlikeEngines((engine) => {
    let service: Service;
    before(async () => {
      service = await startService(world, await engine.createUrl(), { LOG_WAIT_MS: "50" });
      // Another process signs, and does not come to it.
      await leaseToAnother(service.server.db, "log-publisher", world.clock.now() + 86_400_000);
      await world.tick();
      await service.recordLiquidity();
    });
    after(() => service.stop());

    const newJob = async () => (await service.post("/v1/jobs", service.jobBody())).body;
    const prepare = (jobId: string) => service.post(`/v1/jobs/${jobId}/prepare-execution`, {});
    const report = async (jobId: string) => (await service.call(`/v1/jobs/${jobId}/report`)).body;
    let jobId: string;

    it("answers 503 with Retry-After without a signed checkpoint; the judgement stays, and no call is gone", async () => {
      ({ jobId } = await newJob());
      for (const version of [2, 3, 4]) {
        const { status, body, headers } = await prepare(jobId);
        expect([status, body.code, headers.get("retry-after")]).to.deep.equal([503, "unavailable", "1"]);
        expect(body.detail).to.contain("not yet in a signed checkpoint");
        expect(JSON.stringify(body)).to.not.contain("certificate");
        const stored = await report(jobId);
        expect(stored).to.include({ version, decision: "ALLOW" }).and.to.not.have.property("execution");
        expect(stored.log.proof).to.equal(null);
      }
    });

    it("certifies as soon as it is signed, with the proof in the answer and in the report from then on", async () => {
      await service.server.db.deleteFrom("leases").where("name", "=", "log-publisher").execute();
      for (let tries = 0; (await report(jobId)).log.proof === null && tries < 400; tries++)
        await new Promise((resolve) => setTimeout(resolve, 25));
      // What was judged and not certified is proved as well.
      const before = await report(jobId);
      expect(before.version).to.equal(4);
      expectProved(before);
      let answer = await prepare(jobId);
      // 50 ms may be too few where many tests share a machine.
      for (let tries = 0; answer.status === 503 && tries < 100; tries++) answer = await prepare(jobId);
      expect(answer.status, answer.text).to.equal(200);
      expect(answer.body.execution.certificate).to.be.an("object");
      expectProved(answer.body.report);
      expect((await report(jobId)).execution).to.deep.equal(answer.body.execution);
    });

    it("judges nothing in vain while the log is not signed any more, and everything else goes on", async () => {
      await service.server.db.updateTable("log_shards").set({ refused: "rows were changed" }).execute();
      const job = await newJob();
      const { status, body, headers } = await prepare(job.jobId);
      expect([status, body.code, headers.get("retry-after")]).to.deep.equal([503, "unavailable", "1"]);
      expect(body.detail).to.contain("cannot be signed");
      const first = await report(job.jobId);
      expect(first).to.include({ version: 1, decision: "ALLOW" });
      expect(first.log.proof).to.equal(null);
      const ready = await service.call("/readyz");
      expect([ready.status, ready.body.log.refused]).to.deep.equal([200, "rows were changed"]);
    });
  });
});
