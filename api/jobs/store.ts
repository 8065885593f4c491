/** Jobs and reports in the database. What comes out of it is parsed like anything from outside. */
import type { Selectable } from "kysely";
import { Intent } from "../../attestor/intent.ts";
import { Report } from "../../attestor/report.ts";
import { isUniqueViolation } from "../../database/errors.ts";
import type { Database } from "../../database/open.ts";
import type { Schema } from "../../database/schema.ts";
import type { OpenedByToken } from "../http/route.ts";
import { addEntry } from "../log/entries.ts";
import { namedBy, proofsOf, storeAttachments } from "./attachments.ts";
import { digestOf, isSignToken } from "./ids.ts";
import { StoredReport } from "./schemas.ts";

/** The owner of a job: the API key that made it, or the bearer of its token. */
export type Holder =
  | { readonly kind: "key"; readonly keyId: string }
  | { readonly kind: "jobToken"; readonly jobId: string };

export interface NewJob extends StoredJob {
  readonly tokenDigest: string | null;
}

export type ReportSummary = Pick<
  Schema["reports"],
  "version" | "kind" | "decision" | "evidence_hash" | "created_at"
>;

export type StoredJob = Readonly<ReturnType<typeof storedJob>>;

const storedJob = (row: Selectable<Schema["jobs"]>) => ({
  id: row.id,
  keyId: row.key_id,
  clientRequestId: row.client_request_id,
  requestHash: row.request_hash,
  intent: Intent.parse(JSON.parse(row.intent)),
  /** Version of the policy that the job is judged by to its end. */
  policyVersion: row.policy_version,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
});

/** The job, where it belongs to the holder; to everyone else it does not exist. */
export async function findJob(db: Database, id: string, holder: Holder): Promise<StoredJob | null> {
  if (holder.kind === "jobToken" && holder.jobId !== id) return null;
  const query = db.selectFrom("jobs").selectAll().where("id", "=", id);
  const row = await (holder.kind === "key"
    ? query.where("key_id", "=", holder.keyId)
    : query
  ).executeTakeFirst();
  return row === undefined ? null : storedJob(row);
}

export async function findJobByRequest(
  db: Database,
  keyId: string,
  clientRequestId: string,
): Promise<StoredJob | null> {
  const row = await db
    .selectFrom("jobs")
    .selectAll()
    .where("key_id", "=", keyId)
    .where("client_request_id", "=", clientRequestId)
    .executeTakeFirst();
  return row === undefined ? null : storedJob(row);
}

/**
 * The job that a token opens, while the job lives. Two lookups in one statement: as alternatives of one condition
 * PostgreSQL would read every job for them. `now` in unix seconds.
 */
async function findJobOfToken(db: Database, tokenDigest: string, now: number): Promise<OpenedByToken | null> {
  const row = await db
    .selectFrom("jobs")
    .select("id")
    .where("token_digest", "=", tokenDigest)
    .where("expires_at", ">", now)
    .unionAll(
      db
        .selectFrom("job_tokens")
        .innerJoin("jobs", "jobs.id", "job_tokens.job_id")
        .select("jobs.id")
        .where("job_tokens.digest", "=", tokenDigest)
        .where("jobs.expires_at", ">", now),
    )
    .executeTakeFirst();
  return row === undefined ? null : { jobId: row.id };
}

/** What a job token or a sign token opens, while it does; `now` in unix seconds. */
export function openedByToken(db: Database, token: string, now: number): Promise<OpenedByToken | null> {
  return (isSignToken(token) ? findSigned : findJobOfToken)(db, digestOf(token), now);
}

/** What was sent in time may be mined and confirmed a little later. */
const FOLLOWED_SECONDS = 600;

/** The version that a sign token opens; `now` in unix seconds. */
async function findSigned(db: Database, digest: string, now: number): Promise<OpenedByToken | null> {
  const row = await db
    .selectFrom("reports")
    .select(["job_id", "version", "deadline"])
    .where("sign_digest", "=", digest)
    .where("deadline", ">", now - FOLLOWED_SECONDS)
    .executeTakeFirst();
  if (row === undefined) return null;
  return { jobId: row.job_id, version: row.version, isOver: now > Number(row.deadline) };
}

/**
 * Stores a job with its first report, both or neither.
 * @param also what must be stored with them
 * @returns false when a job of that key and clientRequestId exists already
 */
export async function insertJob(
  db: Database,
  job: NewJob,
  report: Report,
  also: (trx: Database) => Promise<void> = async () => {},
): Promise<boolean> {
  try {
    await db.transaction().execute(async (trx) => {
      await storeJob(trx, job, report);
      await also(trx);
    });
    return true;
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
}

/** As `insertJob`, within a transaction of the caller's. */
export async function storeJob(trx: Database, job: NewJob, report: Report): Promise<void> {
  await trx
    .insertInto("jobs")
    .values({
      id: job.id,
      key_id: job.keyId,
      token_digest: job.tokenDigest,
      client_request_id: job.clientRequestId,
      request_hash: job.requestHash,
      intent: JSON.stringify(job.intent),
      policy_version: job.policyVersion,
      created_at: job.createdAt,
      expires_at: job.expiresAt,
      last_version: report.version,
    })
    .execute();
  await insertReport(trx, report, "initial");
}

/** Tokens of one job that open it at the same time: one of each payment that was answered by it. */
const MAX_TOKENS = 256;

/** Adds a token to a job, once. The oldest go when there are too many. `nowMs` in unix milliseconds. */
export async function addJobToken(db: Database, jobId: string, digest: string, nowMs: number): Promise<void> {
  await db
    .insertInto("job_tokens")
    .values({ digest, job_id: jobId, created_at: nowMs })
    .onConflict((conflict) => conflict.column("digest").doUpdateSet({ created_at: nowMs }))
    .execute();
  await db
    .deleteFrom("job_tokens")
    .where("job_id", "=", jobId)
    .where("digest", "not in", (eb) =>
      eb
        .selectFrom("job_tokens")
        .select("digest")
        .where("job_id", "=", jobId)
        .orderBy("created_at", "desc")
        .orderBy("digest")
        .limit(MAX_TOKENS),
    )
    .execute();
}

/**
 * Makes the next report version of a job: `make` judges under the version's number, and number, report and its entry
 * in the decision log are stored together or not at all.
 * @param make must be quick: it holds a transaction open
 * @param also what is stored with it; behind the report, as with a new job: two transactions that store rows which reports
 *   share must not wait for each other
 */
export async function appendReport(
  db: Database,
  jobId: string,
  make: (version: number) => Report,
  also: (trx: Database, report: Report) => Promise<void>,
): Promise<Report> {
  return db.transaction().execute(async (trx) => {
    const { last_version } = await trx
      .updateTable("jobs")
      .set((eb) => ({ last_version: eb("last_version", "+", 1) }))
      .where("id", "=", jobId)
      .returning("last_version")
      .executeTakeFirstOrThrow();
    const report = make(last_version);
    await insertReport(trx, report, "prepare");
    await also(trx, report);
    return report;
  });
}

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
 * Adds to a stored report what was prepared and signed with it, once.
 * @param ends `deadline`: unix seconds after which it can no longer be executed; `signDigest`: of the token that opens it
 */
export async function storeExecution(
  trx: Database,
  { jobId, version }: Pick<Report, "jobId" | "version">,
  execution: unknown,
  { deadline, signDigest }: { deadline: number; signDigest: string },
): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable("reports")
    .set({ execution: JSON.stringify(execution), deadline, sign_digest: signDigest })
    .where((eb) => eb.and({ job_id: jobId, version }))
    .where("execution", "is", null)
    .executeTakeFirst();
  if (numUpdatedRows !== 1n) throw new Error(`version ${version} of ${jobId} has its execution already`);
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

/** A report is always stored together with its entry in the decision log. */
async function insertReport(trx: Database, report: Report, kind: "initial" | "prepare"): Promise<void> {
  await addEntry(trx, report);
  await storeAttachments(trx, report);
  const { proofs: _, ...body } = report;
  await trx
    .insertInto("reports")
    .values({
      job_id: report.jobId,
      ...summaryOf(report, kind),
      // Proofs have a row of their own, once for all reports that rest on them.
      body: JSON.stringify(body),
      execution: null,
      deadline: null,
      sign_digest: null,
      ...namedBy(report),
    })
    .execute();
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
