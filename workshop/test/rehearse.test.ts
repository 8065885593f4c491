/** That the rehearsal's audit finds what it is there to find. */
import { expect } from "chai";
import { addRows, memoryDatabase } from "../../test/support/database.ts";
import { addEntry, judgement, openLog, wordsFolder } from "../../test/support/log.ts";
import { jobRow } from "../../test/support/paymentRows.ts";
import { ofTest } from "../../test/support/suite.ts";
import { auditApplications, auditJobs, auditLog, auditReports } from "../rehearse/load/audit.ts";
import { begin, createLedger } from "../rehearse/load/ledger.ts";
import { createMeter, recoveryAfter, type Sample } from "../rehearse/load/meter.ts";

describe("the rehearsal's ledger", () => {
  const db = ofTest(memoryDatabase);
  const words = wordsFolder();

  it("finds a job that was acknowledged and is not there, and a name with two acknowledged jobs", async () => {
    const named = (id: string, name: string) => jobRow(id, 1, { token_digest: id, client_request_id: name });
    await addRows(db, "jobs", named("job_1", "one"), named("job_2", "two"));
    const ledger = createLedger();
    begin(ledger.jobs, "one").jobIds.add("job_1");
    expect(await auditJobs(db, ledger)).to.deep.equal([]);
    begin(ledger.jobs, "two").jobIds.add("job_2").add("job_3");
    expect(await auditJobs(db, ledger)).to.deep.equal([
      { kind: "doubled", what: "answers for two" },
      { kind: "lost", what: "job job_3" },
    ]);
  });

  it("tells a report that is stored otherwise than it was shown, and an application without its key", async () => {
    const ledger = createLedger();
    ledger.reports.push({ jobId: "job_1", version: 1, evidenceHash: "0x1", logged: null });
    ledger.applications.push("key_1");
    expect([...(await auditReports(db, ledger)), ...(await auditApplications(db, ledger))]).to.deep.equal([
      { kind: "lost", what: "report job_1/1" },
      { kind: "lost", what: "application key_1" },
    ]);
  });

  it("finds a judgement that was shown and has no entry in the log, and an entry that the log has twice", async () => {
    const [shown, missing] = [judgement(), judgement()];
    const log = openLog(db, words);
    await addEntry(db, shown);
    await log.signed(shown);
    await log.stop();
    const ledger = createLedger();
    const told = ({ jobId, version, evidenceHash }: typeof shown) => ({ jobId, version, evidenceHash });
    ledger.reports.push({ ...told(shown), logged: shown });
    expect(await auditLog(db, ledger)).to.deep.equal([]);
    ledger.reports.push({ ...told(missing), logged: missing });
    await addEntry(db, shown);
    expect(await auditLog(db, ledger)).to.deep.equal([
      { kind: "doubled", what: "entry 1 of the log" },
      { kind: "lost", what: `entry of ${missing.jobId}/1` },
    ]);
  });
});

describe("the rehearsal's times", () => {
  const sample = (startedAt: number, ms: number, fault: string | null = null): Sample => ({
    flow: "reads",
    startedAt,
    endedAt: startedAt + ms,
    fault,
  });

  it("recovery lasts until the last request began that failed", () => {
    const samples = [sample(500, 10, "503"), sample(1_500, 10, "503"), sample(2_500, 10)];
    expect(recoveryAfter(samples, 1_000)).to.equal(500);
    expect(recoveryAfter(samples, 2_000)).to.equal(0);
  });

  it("all is well only when each way of use works again and nothing older is under way", async () => {
    let now = 0;
    const meter = createMeter(() => now);
    meter.note(sample(0, 10));
    meter.note({ ...sample(100, 10, "503"), flow: "jobs" });
    now = 5_000;
    meter.note(sample(4_900, 10));
    expect(meter.isWell(3_000, 0)).to.equal(false);
    meter.note({ ...sample(4_950, 10), flow: "jobs" });
    expect(meter.isWell(3_000, 0)).to.equal(true);
    void meter.measure("reads", () => new Promise(() => {}));
    now = 9_000;
    expect(meter.isWell(3_000, 0)).to.equal(false);
  });
});
