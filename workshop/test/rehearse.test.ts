/** That the rehearsal notices what it is there to notice. */
import { expect } from "chai";
import { addRows, memoryDatabase } from "../../test/support/database.ts";
import { addEntry, judgement, openLog, wordsFolder } from "../../test/support/log.ts";
import { addJob, addPayment, jobRow } from "../../test/support/paymentRows.ts";
import { ofTest } from "../../test/support/suite.ts";
import { PRICE } from "../../test/support/x402.ts";
import {
  auditJobs,
  auditLog,
  auditPayments,
  auditReports,
  auditSamples,
  auditTrades,
  createLedger,
} from "../rehearse/audit.ts";
import { isWell, recoveryAfter, type Sample } from "../rehearse/samples.ts";

describe("the rehearsal's audit", () => {
  const db = ofTest(memoryDatabase);
  const words = wordsFolder();

  it("finds a job that was acknowledged and is not there, and a name with two acknowledged jobs", async () => {
    const named = (id: string, name: string) => jobRow(id, 1, { token_digest: id, client_request_id: name });
    await addRows(db, "jobs", named("job_1", "one"), named("job_2", "two"));
    const ledger = createLedger();
    ledger.jobs.push({ name: "one", jobId: "job_1" }, { name: "one", jobId: "job_1" });
    expect(await auditJobs(db, ledger)).to.deep.equal([]);
    ledger.jobs.push({ name: "two", jobId: "job_2" }, { name: "two", jobId: "job_3" });
    expect(await auditJobs(db, ledger)).to.deep.equal([
      { kind: "doubled", what: "answers for two" },
      { kind: "lost", what: "job job_3" },
    ]);
  });

  it("finds a report that is stored otherwise than it was shown", async () => {
    const ledger = createLedger();
    ledger.reports.push(judgement({ jobId: "job_1" }));
    expect(await auditReports(db, ledger)).to.deep.equal([{ kind: "lost", what: "report job_1/1" }]);
  });

  it("finds a purchase that is not charged, and money that came or is missing beyond the charges", async () => {
    const ledger = createLedger();
    ledger.purchases.push(await addPayment(db, 1));
    expect(await auditPayments(db, ledger, PRICE)).to.deep.equal([]);
    expect(await auditPayments(db, ledger, 2n * PRICE)).to.deep.equal([
      { kind: "doubled", what: "transfer 1 beyond the purchases" },
    ]);
    expect(await auditPayments(db, ledger, 0n)).to.deep.equal([
      { kind: "lost", what: "transfer 0 of a settled payment" },
    ]);
    ledger.purchases.push("job_2");
    expect(await auditPayments(db, ledger, PRICE)).to.deep.equal([
      { kind: "lost", what: "payment of job_2" },
    ]);
  });

  it("finds a trade that is followed twice, and one that was confirmed and is not", async () => {
    const submitted = async (id: string, hash: string) =>
      addRows(db, "executions", {
        id,
        job_id: await addJob(db, 1),
        transaction_hash: hash,
        state: "submitted",
        submitted_at: 1,
      });
    await submitted("exe_1", "0x1");
    const ledger = createLedger();
    ledger.trades.set("0x1", { isConfirmed: false });
    expect(await auditTrades(db, ledger)).to.deep.equal([]);
    ledger.trades.set("0x1", { isConfirmed: true });
    ledger.trades.set("0x2", { isConfirmed: false });
    await submitted("exe_2", "0x1");
    expect(await auditTrades(db, ledger)).to.deep.equal([
      { kind: "doubled", what: "trade 0x1" },
      { kind: "lost", what: "trade 0x1" },
      { kind: "lost", what: "trade 0x2" },
    ]);
  });

  it("finds two samples of a series that two workers stored for one second", async () => {
    const row = { series_id: 1, sampled_at: 7, sample: "[1]", origin_id: 1 };
    await addRows(db, "raw_samples", row);
    expect(await auditSamples(db)).to.deep.equal([]);
    await addRows(db, "raw_samples", { ...row, sample: "[2]" });
    expect(await auditSamples(db)).to.deep.equal([{ kind: "doubled", what: "samples of series 1 at 7" }]);
  });

  it("finds a judgement that was shown and has no entry in the log, and an entry that the log has twice", async () => {
    const [shown, missing] = [judgement(), judgement()];
    const log = openLog(db, words);
    await addEntry(db, shown);
    await log.signed(shown);
    await log.stop();
    const ledger = createLedger();
    ledger.reports.push(shown);
    expect(await auditLog(db, ledger)).to.deep.equal([]);
    ledger.reports.push(missing);
    await addEntry(db, shown);
    expect(await auditLog(db, ledger)).to.deep.equal([
      { kind: "doubled", what: "entry 1 of the log" },
      { kind: "lost", what: `entry of ${missing.jobId}/1` },
    ]);
  });
});

describe("the rehearsal's times", () => {
  const sample = (startedAt: number, fault: string | null = null): Sample => ({
    flow: "reads",
    startedAt,
    endedAt: startedAt + 10,
    fault,
  });
  /** One of each way to use the service, all well. */
  const all = (startedAt: number): Sample[] =>
    (["reads", "jobs", "purchases", "certificates", "submissions", "confirmations"] as const).map((flow) => ({
      ...sample(startedAt),
      flow,
    }));

  it("recovery lasts until the last request began that failed", () => {
    const samples = [sample(500, "503"), sample(1_500, "503"), sample(2_500)];
    expect(recoveryAfter(samples, 1_000)).to.equal(500);
    expect(recoveryAfter(samples, 2_000)).to.equal(0);
  });

  it("all is well only when each way of use works again, nothing failed lately, and nothing hangs", () => {
    expect(isWell(all(1_000), 0, 5_000)).to.equal(true);
    const failed: Sample = { ...sample(1_500, "503"), flow: "jobs" };
    expect(isWell([...all(1_000), failed], 0, 5_000)).to.equal(false);
    expect(isWell([...all(1_000), failed, ...all(2_000)], 0, 5_000)).to.equal(true);
    expect(isWell([...all(1_000), failed, ...all(2_000)], 0, 4_000)).to.equal(false);
    for (const { flow } of all(1_000)) {
      const others = all(1_000).filter((each) => each.flow !== flow);
      expect(isWell(others, 0, 5_000), `without ${flow}`).to.equal(false);
    }
    const hanging: Sample = { ...sample(1_500), endedAt: null };
    expect(isWell([...all(1_000), hanging], 0, 5_000)).to.equal(false);
  });
});
