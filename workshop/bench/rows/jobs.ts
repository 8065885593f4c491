/** Jobs with their reports, what these rest on, and who made them. */
import {
  A_BLOCK,
  BOUGHT,
  batchesOf,
  createdAt,
  DAY,
  type Filling,
  firstJudged,
  lastJob,
  TRADED,
} from "./amounts.ts";
import { copies, type Statement } from "./copies.ts";
import { SQL } from "./names.ts";

const KEYS = 10_000;

export function* jobs(filling: Filling): Generator<Statement> {
  const { amounts, templates } = filling;
  const created = createdAt(filling);
  yield copies(
    "jobs",
    "id, key_id, token_digest, client_request_id, request_hash, intent, policy_version, created_at, expires_at, last_version, sold",
    {
      id: SQL.jobId("n"),
      key_id: `case when not ${BOUGHT} then '${templates.keyId}' end`,
      token_digest: `case when ${BOUGHT} then ${SQL.tokenDigest("n")} end`,
      client_request_id: "'bench-' || lpad(n::text, 9, '0')",
      request_hash: SQL.hash("request", "n"),
      created_at: created,
      expires_at: `${created} + ${DAY}`,
      last_version: `case when n > ${amounts.bare} and ${TRADED} then 2 else 1 end`,
      sold: `case when ${BOUGHT} or ${TRADED} then 1 else 0 end`,
    },
    { template: `select * from jobs where id = '${templates.bought}'`, from: 1, to: lastJob(amounts) },
  );
}

export function* reports(filling: Filling): Generator<Statement> {
  const { amounts, templates } = filling;
  const [from, to] = [firstJudged(amounts), lastJob(amounts)];
  const of = (job: string, version: 1 | 2, only: string) => {
    const evidence = SQL.evidence("n", String(version));
    const own = (column: string) =>
      `replace(replace(t.${column}, t.evidence_hash, ${evidence}), t.job_id, ${SQL.jobId("n")})`;
    return copies(
      "reports",
      "job_id, version, kind, decision, evidence_hash, created_at, body, execution, deadline, proofs_hash, samples_root",
      {
        job_id: SQL.jobId("n"),
        evidence_hash: evidence,
        created_at: createdAt(filling),
        body: own("body"),
        execution: own("execution"),
        proofs_hash: SQL.hash("proofs", `n / ${A_BLOCK}`),
        samples_root: SQL.samples(`n % ${batchesOf(amounts)}`),
      },
      { template: `select * from reports where job_id = '${job}' and version = ${version}`, from, to, only },
    );
  };
  yield of(templates.bought, 1, `not ${TRADED}`);
  yield of(templates.traded, 1, TRADED);
  yield of(templates.traded, 2, TRADED);
}

export function* attachments(filling: Filling): Generator<Statement> {
  const { amounts, templates, now } = filling;
  const [from, to] = [firstJudged(amounts), lastJob(amounts)];
  const named = (column: string) =>
    `(select ${column} from reports where job_id = '${templates.bought}' and version = 1)`;
  yield copies(
    "proofs",
    "hash, body",
    { hash: SQL.hash("proofs", "n") },
    {
      template: `select body from proofs where hash = ${named("proofs_hash")}`,
      from: Math.floor(from / A_BLOCK),
      to: Math.floor(to / A_BLOCK),
    },
  );
  yield copies(
    "sample_batches",
    "root, asset_key, body",
    { root: SQL.samples("n") },
    {
      template: `select asset_key, body from sample_batches where root = ${named("samples_root")}`,
      from: 0,
      to: batchesOf(amounts) - 1,
    },
  );
  // As much as a provider's answer takes; the local world's are not kept.
  yield copies(
    "raw_answers",
    "hash, body, kept_at",
    { hash: SQL.hash("answer", "n"), body: `repeat(${SQL.hash("body", "n")}, 20)`, kept_at: String(now) },
    { template: "select 1", from: Math.floor(from / A_BLOCK), to: Math.floor(to / A_BLOCK) },
  );
}

export function* accounts({ amounts }: Filling): Generator<Statement> {
  const few = Math.min(KEYS, amounts.judged);
  yield copies(
    "owner_nonces",
    "owner, next",
    { owner: `left(${SQL.hash("owner", "n")}, 42)`, next: "1" },
    { template: "select 1", from: 1, to: amounts.judged },
  );
  yield copies(
    "api_keys",
    "id, digest, name, email, purpose, state, limit_per_minute, created_at, updated_at",
    { id: "'bench_' || n", digest: SQL.hash("key", "n"), state: "'active'" },
    { template: "select * from api_keys order by created_at limit 1", from: 1, to: few },
  );
  yield copies(
    "api_key_events",
    "id, key_id, actor, action, detail, at",
    { id: "'bench_' || n", key_id: "'bench_' || n" },
    { template: "select * from api_key_events order by at limit 1", from: 1, to: few },
  );
}
