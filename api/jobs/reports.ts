/** Versions of a job's report in the database. What comes out of it is parsed like anything from outside. */
import { Report } from "../../attestor/report.ts";
import type { UnixSeconds } from "../../attestor/values/time.ts";
import { insertTogether, type NewRow, newRow } from "../../database/insertTogether.ts";
import type { Database } from "../../database/open.ts";
import type { Schema } from "../../database/schema.ts";
import { entryRow } from "../log/entries.ts";
import { type Attachments, namedBy, proofsOf } from "./attachments.ts";
import { StoredReport } from "./schemas.ts";

export type ReportSummary = Pick<
  Schema["reports"],
  "version" | "kind" | "decision" | "evidence_hash" | "created_at"
>;

/** What the list of a job's reports says of one. */
export function summaryOf(report: Report, kind: ReportSummary["kind"]): ReportSummary {
  return {
    version: report.version,
    kind,
    decision: report.decision,
    evidence_hash: report.evidenceHash,
    created_at: report.evidence.capturedAt,
  };
}

/**
 * A report is always stored together with its entry in the decision log, and with what it names.
 * @param entry `withheld` until the job is paid for: the log is public, and would tell the decision before
 */
export function rowsOfReport(
  report: Report,
  kind: ReportSummary["kind"],
  attachments: readonly NewRow[],
  entry: "public" | "withheld",
): NewRow[] {
  const { proofs: _, ...body } = report;
  const row = newRow("reports", {
    job_id: report.jobId,
    ...summaryOf(report, kind),
    // Proofs have a row of their own, once for all reports that rest on them.
    body: JSON.stringify(body),
    execution: null,
    deadline: null,
    sign_digest: null,
    ...namedBy(report),
  });
  const logged =
    entry === "withheld"
      ? newRow("log_withheld", { job_id: report.jobId, ...entryRow(report) })
      : newRow("log_waiting", entryRow(report));
  return [logged, ...attachments, row];
}

/**
 * Makes the next report version of a job: number, report and log entry are stored together or not at all, while nobody
 * else can add a version to the job.
 * @param allowed may throw, and nothing is stored then; it is asked under the job's lock
 * @param make must be quick: it holds the lock
 */
export async function appendReport(
  { db, attachments }: { readonly db: Database; readonly attachments: Attachments },
  jobId: string,
  allowed: (trx: Database) => Promise<void>,
  make: (version: number) => Report,
): Promise<Report> {
  const { report, rows } = await db.transaction().execute(async (trx) => {
    const { last_version } = await trx
      .updateTable("jobs")
      .set((eb) => ({ last_version: eb("last_version", "+", 1) }))
      .where("id", "=", jobId)
      .returning("last_version")
      .executeTakeFirstOrThrow();
    await allowed(trx);
    const report = make(last_version);
    const rows = await attachments.rowsFor(trx, report);
    await insertTogether(trx, rowsOfReport(report, "prepare", rows, "public"));
    return { report, rows };
  });
  attachments.committed(rows);
  return report;
}

/** A version that prepare-execution made. */
export interface PreparedVersion {
  readonly version: number;
  readonly decision: "ALLOW" | "DENY";
  readonly createdAt: UnixSeconds;
  readonly isCertified: boolean;
}

/** Those of a job that were made after a moment, the newest first. */
export async function preparedAfter(db: Database, jobId: string, moment: UnixSeconds) {
  const rows = await db
    .selectFrom("reports")
    .select(["version", "decision", "created_at", "deadline"])
    .where((eb) => eb.and({ job_id: jobId, kind: "prepare" }))
    .where("created_at", ">", moment)
    .orderBy("version", "desc")
    .execute();
  return rows.map(
    ({ version, decision, created_at, deadline }): PreparedVersion => ({
      version,
      decision,
      createdAt: created_at,
      isCertified: deadline !== null,
    }),
  );
}

/**
 * Adds to a stored report what was prepared and signed with it, once.
 * @param ends `deadline`: unix seconds after which it can no longer be executed; `signDigest`: of the token that opens it
 * @returns false where another call did so before
 */
export async function storeExecution(
  db: Database,
  { jobId, version }: Pick<Report, "jobId" | "version">,
  execution: unknown,
  { deadline, signDigest }: { deadline: UnixSeconds; signDigest: string },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("reports")
    .set({ execution: JSON.stringify(execution), deadline, sign_digest: signDigest })
    .where((eb) => eb.and({ job_id: jobId, version }))
    .where("execution", "is", null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/**
 * Writes the decision log's proof into a stored report that has none yet.
 * @returns the stored one: of concurrent writers, the first one's
 */
export async function keepLogProof(
  db: Database,
  { jobId, version }: Pick<Report, "jobId" | "version">,
  proof: string,
): Promise<string> {
  for (;;) {
    const { body } = await db
      .selectFrom("reports")
      .select("body")
      .where((eb) => eb.and({ job_id: jobId, version }))
      .executeTakeFirstOrThrow();
    const { log, ...report } = JSON.parse(body);
    if (log.proof !== null) return log.proof;
    const { numUpdatedRows } = await db
      .updateTable("reports")
      .set({ body: JSON.stringify({ ...report, log: { ...log, proof } }) })
      .where((eb) => eb.and({ job_id: jobId, version, body }))
      .executeTakeFirst();
    if (numUpdatedRows === 1n) return proof;
  }
}

/** A report of a job, the newest without a version; null where there is none of that version. */
export async function findReport(db: Database, jobId: string, version?: number): Promise<Report | null> {
  const row = await reportRow(db, jobId, version);
  return row === undefined
    ? null
    : Report.parse({ ...JSON.parse(row.body), ...(await proofsOf(db, row.proofs_hash)) });
}

/** As `findReport`, with what was prepared with that version. */
export async function findStoredReport(
  db: Database,
  jobId: string,
  version?: number,
): Promise<StoredReport | null> {
  const row = await reportRow(db, jobId, version);
  if (row === undefined) return null;
  const execution = row.execution === null ? {} : { execution: JSON.parse(row.execution) };
  const proofs = await proofsOf(db, row.proofs_hash);
  return StoredReport.parse({ ...JSON.parse(row.body), ...proofs, ...execution });
}

function reportRow(db: Database, jobId: string, version: number | undefined) {
  const query = db
    .selectFrom("reports")
    .select(["body", "execution", "proofs_hash"])
    .where("job_id", "=", jobId);
  return (version === undefined ? query : query.where("version", "=", version))
    .orderBy("version", "desc")
    .limit(1)
    .executeTakeFirst();
}

/** All versions of a job, oldest first. */
export function listReports(db: Database, jobId: string): Promise<ReportSummary[]> {
  return db
    .selectFrom("reports")
    .select(["version", "kind", "decision", "evidence_hash", "created_at"])
    .where("job_id", "=", jobId)
    .orderBy("version")
    .execute();
}
