/** Rows of payments as the service writes them, for tests of what operators read. */
import { hexlify, randomBytes } from "ethers";
import type { Insertable } from "kysely";
import type { Database } from "../../database/open.ts";
import type { Schema } from "../../database/schema.ts";
import { addRows } from "./database.ts";

export const PAYER = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
export const PAYEE = "0x2546BcD3c84621e976D8185a91A922aE77ECEc30";
export const TOKEN = "0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0";
/** What a payment of `addPayment` was asked for. */
export const TERMS = {
  scheme: "exact",
  network: "eip155:31337",
  asset: TOKEN,
  amount: "10000",
  payTo: PAYEE,
  maxTimeoutSeconds: 300,
  extra: {},
};
/** Words that no report may repeat. */
export const SECRET = "0xdeadbeefsignature";

let jobs = 0;

/** A job with one report. @returns its id */
export async function addJob(db: Database, createdAt: number): Promise<string> {
  const id = `job_test${++jobs}`;
  await addRows(db, "jobs", jobRow(id, createdAt));
  await addRows(db, "reports", reportRow(id, createdAt));
  return id;
}

/** A one-shot job, for a day. */
export const jobRow = (id: string, createdAt: number, changes: Partial<Insertable<Schema["jobs"]>> = {}) => ({
  id,
  key_id: null,
  token_digest: id,
  client_request_id: id,
  request_hash: id,
  policy_version: 3,
  intent: "{}",
  created_at: createdAt,
  expires_at: createdAt + 86_400,
  last_version: 1,
  ...changes,
});

export const reportRow = (
  jobId: string,
  createdAt: number,
  changes: Partial<Insertable<Schema["reports"]>> = {},
): Insertable<Schema["reports"]> => ({
  job_id: jobId,
  version: 1,
  kind: "initial",
  decision: "ALLOW",
  evidence_hash: hexlify(randomBytes(32)),
  created_at: createdAt,
  body: "{}",
  execution: null,
  deadline: null,
  ...changes,
});

/** A payment with a job of its own, settled when it was made. @returns the job's id */
export async function addPayment(
  db: Database,
  createdAt: number,
  changes: Partial<Insertable<Schema["payments"]>> = {},
): Promise<string> {
  const jobId = changes.job_id ?? (await addJob(db, createdAt));
  const settled = (changes.state ?? "settled") === "settled";
  await addRows(db, "payments", {
    network: TERMS.network,
    asset: TOKEN,
    payer: PAYER,
    nonce: hexlify(randomBytes(32)),
    job_id: jobId,
    state: "settled",
    amount: "10000",
    pay_to: PAYEE,
    valid_before: createdAt + 300,
    payload: JSON.stringify({ signature: SECRET }),
    requirements: "{}",
    unused_at_block: 1,
    created_at: createdAt,
    attempts: 1,
    attempt_until: 0,
    next_look_at: 0,
    fault: null,
    transaction_hash: settled ? hexlify(randomBytes(32)) : null,
    block_number: settled ? 2 : null,
    block_hash: settled ? hexlify(randomBytes(32)) : null,
    settled_at: settled ? createdAt : null,
    released_at: settled ? createdAt : null,
    ...changes,
  });
  return jobId;
}
