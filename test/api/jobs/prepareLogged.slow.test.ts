/** Nothing is certified that is not yet in a signed checkpoint of the decision log; and what a caller sees while there is none. */
import { rmSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { developmentLogSigner } from "../../../api/log/key.ts";
import { LOCAL_ORIGIN } from "../../../api/settings/logSettings.ts";
import { openCheckpoint } from "../../../attestor/log/checkpoint.ts";
import { entryOf, entryText } from "../../../attestor/log/entry.ts";
import { HASHER } from "../../../attestor/log/hasher.ts";
import { isIncluded } from "../../../attestor/log/merkle.ts";
import { parseTlogProof } from "../../../attestor/log/tlogProof.ts";
import { utf8 } from "../../../attestor/values/bytes.ts";
import { changeRows, forEachEngine, leaseToAnother, rowOf } from "../../support/database.ts";
import { expectProblem, expectStatus, insisted, retryAfter } from "../../support/http.ts";
import { connectHost } from "../../support/mcp.ts";
import { guardAs, type Service, startService } from "../../support/service.ts";
import { NO_MOUNT, type SmallDisk, smallDisk } from "../../support/smallDisk.ts";
import { ofSuite } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { testWorld } from "../../support/world.ts";

const logs = [developmentLogSigner().keyOf(LOCAL_ORIGIN)];

function expectProved(report: any): void {
  const { index, path, checkpoint } = parseTlogProof(report.log.proof);
  const { size, root } = openCheckpoint(checkpoint, { logs });
  const leafHash = HASHER.leaf(utf8(entryText(entryOf(report, report.log.salt))));
  expect(isIncluded({ index, size, leafHash, proof: path, root })).to.equal(true);
}

/** What is said where nothing can be certified at the moment. */
async function unavailable(service: Service, jobId: string): Promise<any> {
  const answer = expectProblem(await service.prepare(jobId, {}), 503, "unavailable");
  expect(retryAfter(answer)).to.equal(1);
  return answer.body;
}

describe("prepare-execution and the decision log", () => {
  const world = testWorld();

  forEachEngine((engine) => {
    const service = ofSuite(async () => startService(world, await engine.createUrl(), { LOG_WAIT_MS: "50" }));
    const tick = async (seconds?: number) => {
      await world.tick(seconds);
      await service.recordLiquidity();
    };
    before(async () => {
      // Another process signs, and does not come to it.
      await leaseToAnother(service.server.service.db, "log-publisher", world.clock.now() + 86_400_000);
      await tick();
    });

    const newJob = () => service.newJob();
    const prepare = (jobId: string) => service.prepare(jobId, {});
    const report = async (jobId: string) => (await service.call(`/v1/jobs/${jobId}/report`)).body;
    let jobId: string;

    it("prepare-execution answers 503 with Retry-After without a signed checkpoint; a retry continues with the same version", async () => {
      ({ jobId } = await newJob());
      for (const version of [2, 2, 2]) {
        const body = await unavailable(service, jobId);
        expect(body.detail).to.contain("not yet in a signed checkpoint");
        expect(JSON.stringify(body)).to.not.contain("certificate");
        const stored = await report(jobId);
        expect(stored).to.include({ version, decision: "ALLOW" }).and.to.not.have.property("execution");
        expect(stored.log.proof).to.equal(null);
      }
    });

    it("prepare-execution judges again once the version's block is too old or the guard has changed, and never more than twice in five minutes", async () => {
      const other = await newJob();
      const versions = async () => (await service.call(`/v1/jobs/${other.jobId}`)).body.reports.length - 1;
      const tried = async () => [(await prepare(other.jobId)).status, await versions()];
      expect(await tried()).to.deep.equal([503, 1]);
      await world.tick(59);
      expect(await tried()).to.deep.equal([503, 1]);
      await tick(2);
      expect(await tried()).to.deep.equal([503, 2]);
      for (let call = 0; call < 5; call++) expect(await tried()).to.deep.equal([503, 2]);
      await (await guardAs(world).pause()).wait();
      for (let call = 0; call < 5; call++) expect(await tried()).to.deep.equal([429, 2]);
      await (await guardAs(world).unpause()).wait();
      await tick(240);
      expect(await tried()).to.deep.equal([503, 3]);
      ({ jobId } = await newJob());
      expect((await prepare(jobId)).status).to.equal(503);
    });

    it("prepare-execution does not go on with a version where a call beside has denied the trade since", async () => {
      const other = await newJob();
      expect((await prepare(other.jobId)).status).to.equal(503);
      await (await guardAs(world, world.accounts.pauser).pause()).wait();
      const denied = await prepare(other.jobId);
      expect([denied.status, denied.body.execution]).to.deep.equal([200, null]);
      await (await guardAs(world).unpause()).wait();
      expect((await prepare(other.jobId)).status).to.equal(429);
    });

    it("prepare-execution certifies as soon as it is signed, with the proof in the answer and in the report from then on", async () => {
      await service.server.service.db.deleteFrom("leases").where("name", "=", "log-publisher").execute();
      await until("a proof", async () => (await report(jobId)).log.proof);
      // What was judged and not certified is proved as well.
      const before = await report(jobId);
      expect(before.version).to.equal(2);
      expectProved(before);
      // 50 ms may be too few where many tests share a machine.
      const answer = expectStatus(await insisted(() => prepare(jobId)), 200);
      expect(answer.body.execution.certificate).to.be.an("object");
      expect(answer.body.report).to.include({ version: 2, evidenceHash: before.evidenceHash });
      // Of this answer, and not of the calls before.
      const { next } = await rowOf(service.server.service.db, "owner_nonces");
      const { nonce } = answer.body.execution.tradeIntent.message;
      expect(BigInt(nonce) & 0xffffffffn).to.equal(BigInt(next) - 1n);
      expect(next).to.be.above(4);
      expectProved(answer.body.report);
      expect((await report(jobId)).execution).to.deep.equal(answer.body.execution);
    });

    it("prepare-execution judges nothing in vain while the log is not signed any more, and everything else goes on", async () => {
      await changeRows(service.server.service.db, "log_tree", { refused: "rows were changed" });
      const job = await newJob();
      const body = await unavailable(service, job.jobId);
      expect(body.detail).to.contain("cannot be signed");
      const first = await report(job.jobId);
      expect(first).to.include({ version: 1, decision: "ALLOW" });
      expect(first.log.proof).to.equal(null);
      const ready = await service.call("/readyz");
      expect([ready.status, ready.body.log.refused]).to.deep.equal([200, "rows were changed"]);
    });
  });

  describe("while the log's state cannot be written", () => {
    let disk: SmallDisk | null;
    const words = () => join(disk?.folder ?? world.dataDir, "words");
    const service = ofSuite(async () => {
      disk = smallDisk(1);
      if (disk === null) console.log(NO_MOUNT);
      const started = await startService(world, "sqlite::memory:", { LOG_STATE_DIR: words() });
      const { stop } = started;
      return Object.assign(started, { stop: () => stop().finally(() => disk?.remove()) });
    });
    const beginWith = async () => {
      await world.tick();
      await service.recordLiquidity();
      return (await service.newJob()).jobId as string;
    };
    const prepare = (jobId: string) => service.prepare(jobId, {});
    /** An answer of /readyz stands for a second. */
    const told = (fault: string | null) =>
      until(`log.fault ${fault}`, async () => (await service.call("/readyz")).body.log.fault === fault);

    const faults: readonly [string, string, () => void, () => void][] = [
      ["its disk is full", "ENOSPC", () => disk?.fill(), () => disk?.free()],
      ["its disk is read-only", "EROFS", () => disk?.remount("ro"), () => disk?.remount("rw")],
      [
        "a file has its name",
        "EEXIST",
        () => {
          rmSync(words(), { recursive: true });
          writeFileSync(words(), "");
        },
        () => rmSync(words()),
      ],
    ];
    for (const [what, code, make, repair] of faults)
      it(`prepare-execution answers 503 with the reason before it judges, and certifies once it can: ${what}`, async function () {
        if (disk === null && code !== "EEXIST") this.skip();
        const jobId = await beginWith();
        // Once it is proved nothing is written there: what is written keeps a disk from being full, or read-only.
        const first = async () => (await service.call(`/v1/jobs/${jobId}/report`)).body.log.proof;
        await until("the proof of the first report", first);
        make();
        try {
          const why = `its state folder cannot be written (${code})`;
          for (let tries = 0; tries < 4; tries++) {
            const body = await unavailable(service, jobId);
            expect(body.detail).to.contain(why);
            await sleep(200);
          }
          await told(why);
          expect((await service.call(`/v1/jobs/${jobId}`)).body.reports).to.have.length(1);
          await using host = await connectHost("2026", service.url, service.key);
          expect(await host.failure("prepare_guard_trade", { jobId })).to.include({ code: "unavailable" });
          // What needs no certificate goes on, and is logged later.
          const once = await service.verify(service.verifyBody());
          expect([once.status, once.body.log.proof]).to.deep.equal([200, null]);
        } finally {
          repair();
        }
        await told(null);
        const { status, body, text } = await prepare(jobId);
        expect(status, text).to.equal(200);
        expect(body.reportVersion).to.equal(2);
        expectProved(body.report);
      });

    it("the log makes its folder again when it is gone, with the last checkpoint in it", async () => {
      const jobId = await beginWith();
      await prepare(await beginWith());
      const checkpoints = async () =>
        (await readdir(words()).catch(() => [])).filter((name) => name.endsWith(".checkpoint"));
      const before = await checkpoints();
      rmSync(words(), { recursive: true });
      await until("checkpoints", async () => (await checkpoints()).length > 0);
      expect(await checkpoints()).to.deep.equal(before);
      expect((await prepare(jobId)).status).to.equal(200);
    });
  });
});
