/** Each round deletes a limited number of old rows of each kind; what was paid for or executed stays with its evidence. */
import { randomBytes } from "node:crypto";
import { expect } from "chai";
import { CompiledQuery } from "kysely";
import { clearOldJobs, planRetention } from "../../../api/jobs/retention.ts";
import { createKeys } from "../../../api/keys/keys.ts";
import { DEFAULT_JOB_RETENTION } from "../../../api/settings/retention.ts";
import { openDatabase } from "../../../database/open.ts";
import { listPayments } from "../../../scripts/payments/ledger.ts";
import { propose } from "../../../scripts/payments/refunds.ts";
import { retention } from "../../../scripts/retention.ts";
import {
  addRows,
  changeRows,
  countOf,
  forEachEngine,
  memoryDatabase,
  rowsOf,
} from "../../support/database.ts";
import { fakeConsole } from "../../support/fakeConsole.ts";
import { APPLICANT } from "../../support/http.ts";
import { addJob, addPayment, jobRow } from "../../support/paymentRows.ts";
import { ofTest } from "../../support/suite.ts";
import { typed } from "../../support/typed.ts";

const NOW = 1_800_000_000;
const DAY = 86_400;
const ago = (days: number) => NOW - days * DAY;

describe("retention", () => {
  forEachEngine((engine) => {
    let url: string;
    const db = ofTest(async () => {
      url = await engine.createUrl();
      return openDatabase(url);
    });

    const jobs = async () => (await rowsOf(db, "jobs")).map(({ id }) => id).sort();
    async function execute(job_id: string, state: "confirmed" | "submitted" | "mismatched"): Promise<void> {
      const transaction = { transaction_hash: `0x${"ab".repeat(32)}`, submitted_at: ago(8) };
      const unseen = { report_version: null, confirmed: null, reason: null, next_look_at: null };
      await addRows(db, "executions", { id: `exe_${job_id}`, job_id, state, ...transaction, ...unseen });
    }
    async function keyed(createdAt: number): Promise<string> {
      const { record } = await createKeys({ db, now: () => NOW, randomBytes }).create(APPLICANT, "test");
      const id = await addJob(db, createdAt);
      await changeRows(db, "jobs", { key_id: record.id, token_digest: null }, { id });
      return id;
    }

    it("retention lets one-shot jobs go after a week that nobody paid for or executed, with all that belongs to them", async () => {
      const old = await addJob(db, ago(8));
      const young = await addJob(db, ago(6));
      await execute(old, "mismatched");
      await addRows(db, "payment_terms", { job_id: old, accepts: "[]", created_at: ago(8) });
      await addRows(db, "job_tokens", { digest: "d", job_id: old, created_at: 1 });
      await addRows(db, "log_withheld", { job_id: old, entry: "{}", evidence_key: 1 });
      await addPayment(db, ago(8), { job_id: old, state: "expired" });
      const gone = await clearOldJobs(db, DEFAULT_JOB_RETENTION, NOW);
      expect(gone).to.deep.equal({ oneShot: 1, ofKeys: 0, sold: 0, failedPayments: 0 });
      expect(await jobs()).to.deep.equal([young]);
      for (const table of ["executions", "payments", "payment_terms", "job_tokens", "log_withheld"] as const)
        expect(await countOf(db, table), table).to.equal(0);
      expect(await countOf(db, "reports")).to.equal(1);
    });

    it("retention keeps what was paid for or executed for as long as the operator says, with its evidence", async () => {
      const paid = await addPayment(db, ago(400));
      const open = await addPayment(db, ago(400), { state: "settling" });
      const executed = await addJob(db, ago(400));
      await execute(executed, "confirmed");
      for (let round = 0; round < 2; round++) await clearOldJobs(db, DEFAULT_JOB_RETENTION, NOW);
      expect(await jobs()).to.deep.equal([paid, open, executed].sort());
      expect(await countOf(db, "reports")).to.equal(3);
      const gone = await clearOldJobs(db, { ...DEFAULT_JOB_RETENTION, soldDays: 365 }, NOW);
      expect(gone.sold).to.equal(2);
      // A payment without an outcome is never forgotten.
      expect(await jobs()).to.deep.equal([open]);
    });

    it("retention keeps a refund with its payment, and both while nobody knows how the refund ended", async () => {
      const [refunded, refunding] = [await addPayment(db, ago(400)), await addPayment(db, ago(400))];
      for (const job of [refunded, refunding]) {
        const { value: payment } = await listPayments(db, { jobId: job }).next();
        const given = { sender: payment.payTo, fromBlock: 3, actor: "ann", reason: null, now: NOW };
        await propose(db, payment, given);
      }
      const paidBack = {
        state: "confirmed",
        transaction_hash: `0x${"cd".repeat(32)}`,
        log_index: 0,
      } as const;
      await changeRows(db, "refunds", paidBack, { job_id: refunded });
      for (let round = 0; round < 2; round++) await clearOldJobs(db, DEFAULT_JOB_RETENTION, NOW);
      expect(await jobs()).to.deep.equal([refunded, refunding].sort());
      const gone = await clearOldJobs(db, { ...DEFAULT_JOB_RETENTION, soldDays: 365 }, NOW);
      expect(gone.sold).to.equal(1);
      expect(await jobs()).to.deep.equal([refunding]);
      expect((await rowsOf(db, "refunds")).map(({ job_id }) => job_id)).to.deep.equal([refunding]);
    });

    it("retention counts jobs of keys and failed payments by their own days", async () => {
      const young = await keyed(ago(60));
      await keyed(ago(91));
      const paid = await addPayment(db, ago(40));
      await addPayment(db, ago(40), { job_id: paid, state: "expired", fault: "covered" });
      await addPayment(db, ago(20), { job_id: paid, state: "expired", fault: "covered" });
      const gone = await clearOldJobs(db, DEFAULT_JOB_RETENTION, NOW);
      expect(gone).to.deep.equal({ oneShot: 0, ofKeys: 1, sold: 0, failedPayments: 1 });
      expect(await jobs()).to.deep.equal([paid, young].sort());
      expect(await countOf(db, "payments")).to.equal(2);
    });

    it("retention does two thousand a round and the rest in the next ones", async () => {
      for (let made = 0; made < 2_100; made += 300) {
        const ids = Array.from({ length: 300 }, (_, index) => `job_many${made + index}`);
        await addRows(db, "jobs", ...ids.map((id) => jobRow(id, ago(9))));
      }
      expect((await clearOldJobs(db, DEFAULT_JOB_RETENTION, NOW)).oneShot).to.equal(2_000);
      expect((await clearOldJobs(db, DEFAULT_JOB_RETENTION, NOW)).oneShot).to.equal(100);
      expect(await jobs()).to.deep.equal([]);
    });

    it("retention is shown in advance by assay retention --plan, which changes nothing", async () => {
      await addJob(db, ago(8));
      await addJob(db, ago(10));
      await addPayment(db, ago(400));
      await addPayment(db, ago(1), { job_id: await addJob(db, ago(1)), state: "expired" });
      const plan = await planRetention(db, { ...DEFAULT_JOB_RETENTION, soldDays: 365 }, NOW);
      expect(plan).to.deep.equal([
        { kind: "oneShot", count: 2, oldest: ago(10) },
        { kind: "ofKeys", count: 0, oldest: null },
        { kind: "sold", count: 1, oldest: ago(400) },
        { kind: "failedPayments", count: 0, oldest: null },
      ]);
      const before = await jobs();
      const lines: string[] = [];
      const world = { out: (line: string) => void lines.push(line), exists: async () => true };
      const env = { DATABASE_URL: url, RETENTION_SOLD_DAYS: "365" };
      const own = { ...fakeConsole().world, ...world, env, now: () => NOW * 1000 };
      expect(await typed(retention, ["--plan"], own)).to.equal(0);
      expect(lines).to.deep.equal([
        "2 one-shot jobs, neither paid for nor executed, the oldest of 2027-01-05 (kept for 7 days)",
        "0 jobs of API keys, neither paid for nor executed (kept for 90 days)",
        "1 jobs that were paid for or executed, the oldest of 2025-12-11 (kept for 365 days)",
        "0 payments that failed (kept for 30 days)",
      ]);
      const json = fakeConsole();
      await typed(retention, ["--plan", "--json"], {
        ...json.world,
        env,
        exists: world.exists,
        now: own.now,
      });
      expect(JSON.parse(json.shown.join("\n"))[2]).to.deep.equal({ ...plan[2], keptDays: 365 });
      expect(await jobs()).to.deep.equal(before);
      const gone = await clearOldJobs(db, { ...DEFAULT_JOB_RETENTION, soldDays: 365 }, NOW);
      expect(gone.oneShot).to.equal(2);
    });
  });

  it("retention finds what is old by an index", async () => {
    await using db = await memoryDatabase();
    for (const [where, index] of [
      ["sold = 0 and coalesce(key_id, '') = ''", "jobs_age_one_shot"],
      ["sold = 0 and coalesce(key_id, '') <> ''", "jobs_age_of_keys"],
      ["sold = 1", "jobs_age_sold"],
    ]) {
      const { rows } = await db.executeQuery<{ detail: string }>(
        CompiledQuery.raw(
          `explain query plan select id from jobs where ${where} and created_at < 5 order by created_at limit 100`,
        ),
      );
      expect(rows.map(({ detail }) => detail).join()).to.equal(
        `SEARCH jobs USING INDEX ${index} (created_at<?)`,
      );
    }
  });

  it("assay retention says what is wrong with a database that is not there, and with settings that forget what was sold first", async () => {
    const world = { out: () => {}, exists: async () => false };
    const run = (env: Record<string, string>, args = ["--plan"]) =>
      typed(retention, args, { ...fakeConsole().world, ...world, env, now: () => NOW * 1000 }).then(
        () => "nothing",
        (error: Error) => error.message,
      );
    expect(await run({ DATA_DIR: "/nowhere" })).to.equal("there is no database at /nowhere/assay.db");
    expect(await run({ RETENTION_SOLD_DAYS: "30" })).to.include("what was paid for is kept longest");
    expect(await run({ RETENTION_JOB_DAYS: "2" })).to.include("RETENTION_JOB_DAYS must be");
    expect(await run({}, [])).to.equal("retention needs --plan");
  });
});
