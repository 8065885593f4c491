/** What was bought, and what was carried out. */
import { BOUGHT, createdAt, type Filling, firstJudged, lastJob, PAYERS, TRADED } from "./amounts.ts";
import { copies, type Statement } from "./copies.ts";
import { SQL } from "./names.ts";

export function* purchases(filling: Filling): Generator<Statement> {
  const { amounts, templates, payer } = filling;
  const [from, to] = [firstJudged(amounts), lastJob(amounts)];
  const only = BOUGHT;
  const payers = `case when n % ${PAYERS} = 1 then '${payer}' else left(${SQL.hash("payer", `n % ${PAYERS}`)}, 42) end`;
  const created = createdAt(filling);
  const of = (table: string) => `select * from ${table} where job_id = '${templates.bought}'`;
  yield copies(
    "payment_terms",
    "job_id, accepts, created_at",
    { job_id: SQL.jobId("n"), created_at: created },
    { template: of("payment_terms"), from, to, only },
  );
  yield copies(
    "payments",
    "network, asset, payer, nonce, job_id, state, amount, pay_to, valid_before, payload, requirements, unused_at_block, created_at, attempts, attempt_until, attempt_owner, next_look_at, fault, transaction_hash, block_number, block_hash, settled_at, released_at",
    {
      payer: payers,
      nonce: SQL.hash("nonce", "n"),
      job_id: SQL.jobId("n"),
      created_at: created,
      settled_at: created,
      transaction_hash: SQL.hash("settlement", "n"),
    },
    { template: of("payments"), from, to, only },
  );
  yield copies(
    "body_purchases",
    "payer, intent_hash, identifier, job_id, created_at, answers_until, expires_at",
    { payer: payers, intent_hash: SQL.hash("request", "n"), job_id: SQL.jobId("n"), created_at: created },
    { template: `${of("body_purchases")} limit 1`, from, to, only },
  );
  yield copies(
    "job_tokens",
    "digest, job_id, created_at",
    { digest: SQL.tokenDigest("n"), job_id: SQL.jobId("n"), created_at: `(${created}) * 1000` },
    { template: "select 1", from, to, only },
  );
}

export function* trades(filling: Filling): Generator<Statement> {
  const { amounts, templates } = filling;
  const [from, to] = [firstJudged(amounts), lastJob(amounts)];
  const only = TRADED;
  const transaction = SQL.hash("trade", "n");
  const created = createdAt(filling);
  yield copies(
    "executions",
    "id, job_id, transaction_hash, report_version, state, confirmed, reason, submitted_at, next_look_at, look_rank, key_id",
    {
      id: "'exe_' || lpad(n::text, 22, '0')",
      job_id: SQL.jobId("n"),
      transaction_hash: transaction,
      submitted_at: created,
      // It is final: nobody looks at it any more.
      next_look_at: "null",
      key_id: `'${templates.keyId}'`,
    },
    { template: `select * from executions where job_id = '${templates.traded}'`, from, to, only },
  );
  yield copies(
    "guard_trades",
    "transaction_hash, seen_at",
    { transaction_hash: transaction, seen_at: created },
    { template: "select 1", from, to, only },
  );
  yield copies(
    "public_evidence",
    "evidence_hash, job_id, version",
    { evidence_hash: SQL.evidence("n", "2"), job_id: SQL.jobId("n"), version: "2" },
    { template: "select 1", from, to, only },
  );
  yield copies(
    "prepare_slots",
    "job_id, slot, taken_at_ms, owner, lent_until_ms",
    {
      job_id: SQL.jobId("n"),
      slot: "0",
      taken_at_ms: `(${created}) * 1000`,
      owner: "null",
      lent_until_ms: "null",
    },
    { template: "select 1", from, to, only },
  );
}
