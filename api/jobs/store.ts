/** Jobs in the database, and the tokens that open them. What comes out of it is parsed like anything from outside. */
import type { Selectable } from "kysely";
import { Intent } from "../../attestor/intent.ts";
import type { Report } from "../../attestor/report.ts";
import { insertTogether, type NewRow, newRow } from "../../database/insertTogether.ts";
import type { Database } from "../../database/open.ts";
import type { Schema } from "../../database/schema.ts";
import type { OpenedByToken } from "../http/route.ts";
import { digestOf, isSignToken } from "./ids.ts";
import { rowsOfReport } from "./reports.ts";

/** The owner of a job: the API key that made it, or the bearer of its token. */
export type Holder =
  | { readonly kind: "key"; readonly keyId: string }
  | { readonly kind: "jobToken"; readonly jobId: string };

export interface NewJob extends StoredJob {
  readonly tokenDigest: string | null;
}

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
 * Stores a job with its first report, all or nothing.
 * @param attachments rows that the report names
 * @param entry `withheld` where the report must be paid for, so that nothing of it may be seen before
 * @returns false when a job of that key and clientRequestId exists already
 */
export function storeJob(
  db: Database,
  job: NewJob,
  report: Report,
  attachments: readonly NewRow[],
  entry: "public" | "withheld",
): Promise<boolean> {
  const row = newRow("jobs", {
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
  });
  return insertTogether(db, [row, ...rowsOfReport(report, "initial", attachments, entry)]);
}

/** What a job token or a sign token opens, while it does; `now` in unix seconds. */
export function openedByToken(db: Database, token: string, now: number): Promise<OpenedByToken | null> {
  return (isSignToken(token) ? findSigned : findJobOfToken)(db, digestOf(token), now);
}

/**
 * The job that a token opens, while the job lives. Two lookups in one statement: as alternatives of one condition
 * PostgreSQL would read every job for them.
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

/** What was sent in time may be mined and confirmed a little later. */
const FOLLOWED_SECONDS = 600;

/** The version that a sign token opens. */
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
