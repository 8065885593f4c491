/** Whether everything that was acknowledged is there, once. */
import { bytesToHex } from "@noble/hashes/utils.js";
import { Contract } from "ethers";
import { sql } from "kysely";
import { findLogTree, readEntries } from "../../../api/log/entries.ts";
import { FAST_HASHER } from "../../../api/log/hasher.ts";
import { developmentLogSigner } from "../../../api/log/key.ts";
import { createTreeReader } from "../../../api/log/tiles.ts";
import { openCheckpoint } from "../../../attestor/log/checkpoint.ts";
import { entryOf, entryText } from "../../../attestor/log/entry.ts";
import { rootAt } from "../../../attestor/log/proving.ts";
import type { Database } from "../../../database/open.ts";
import { localAccounts } from "../../../devnet/accounts.ts";
import { PRICE } from "../../../test/support/x402.ts";
import { LOG_ORIGIN } from "../topology/base.ts";
import type { Topology } from "../topology/topology.ts";
import type { Ledger } from "./ledger.ts";

export interface Finding {
  readonly kind: "lost" | "doubled";
  /** Names the thing, so that it counts once however often it is looked for. */
  readonly what: string;
}

type Chained = Pick<Topology, "provider" | "deployment">;

/**
 * Looks while no client writes. A purchase that is under way counts as none.
 * @param db on the primary, without a detour
 * @param paidBefore what stood in the payee's account before the first purchase, raw units
 */
export async function audit(
  topology: Chained,
  db: Database,
  ledger: Ledger,
  paidBefore: bigint,
): Promise<Finding[]> {
  return [
    ...(await auditJobs(db, ledger)),
    ...(await auditReports(db, ledger)),
    ...(await auditApplications(db, ledger)),
    ...(await auditPayments(topology, db, ledger, paidBefore)),
    ...(await auditLog(db, ledger)),
    ...(await auditTrades(db, ledger)),
    ...(await auditRounds(db)),
  ];
}

const lost = (what: string): Finding => ({ kind: "lost", what });
const doubled = (what: string): Finding => ({ kind: "doubled", what });

/** Each name has one job, which is the acknowledged one. */
export async function auditJobs(db: Database, { jobs, purchases }: Ledger): Promise<Finding[]> {
  const rows = await db.selectFrom("jobs").select(["id", "client_request_id"]).execute();
  const byName = Map.groupBy(rows, ({ client_request_id }) => client_request_id);
  const stored = new Set(rows.map(({ id }) => id));
  const found: Finding[] = [];
  for (const { name, jobIds } of jobs.values()) {
    const own = (byName.get(name) ?? []).map(({ id }) => id);
    if (own.length > 1) found.push(doubled(`jobs of ${name}`));
    if (jobIds.size > 1) found.push(doubled(`answers for ${name}`));
    for (const id of jobIds) if (!own.includes(id)) found.push(lost(`job ${id}`));
  }
  for (const { jobIds } of purchases.values()) {
    if (jobIds.size > 1) found.push(doubled(`jobs of one payment: ${[...jobIds].join(", ")}`));
    for (const id of jobIds) if (!stored.has(id)) found.push(lost(`job ${id}`));
  }
  return found;
}

/** Each report that was shown is stored as it was shown. */
export async function auditReports(db: Database, { reports }: Ledger): Promise<Finding[]> {
  const rows = await db.selectFrom("reports").select(["job_id", "version", "evidence_hash"]).execute();
  const stored = new Map(
    rows.map(({ job_id, version, evidence_hash }) => [`${job_id}/${version}`, evidence_hash]),
  );
  return reports
    .filter(({ jobId, version, evidenceHash }) => stored.get(`${jobId}/${version}`) !== evidenceHash)
    .map(({ jobId, version }) => lost(`report ${jobId}/${version}`));
}

export async function auditApplications(db: Database, { applications }: Ledger): Promise<Finding[]> {
  const stored = new Set((await db.selectFrom("api_keys").select("id").execute()).map(({ id }) => id));
  return applications.filter((id) => !stored.has(id)).map((id) => lost(`application ${id}`));
}

/** Each purchase that was answered is charged once, and the account has what the database says. */
async function auditPayments(
  topology: Chained,
  db: Database,
  { purchases }: Ledger,
  before: bigint,
): Promise<Finding[]> {
  const rows = await db.selectFrom("payments").select("job_id").where("state", "=", "settled").execute();
  const charges = Map.groupBy(rows, ({ job_id }) => job_id);
  const found: Finding[] = [];
  for (const [jobId, { length }] of charges) if (length > 1) found.push(doubled(`charges for ${jobId}`));
  for (const { jobIds } of purchases.values())
    for (const id of jobIds) if (!charges.has(id)) found.push(lost(`payment of ${id}`));
  const onChain = Number(((await incomeOf(topology)) - before) / PRICE);
  const told = [...purchases.values()].filter(({ jobIds }) => jobIds.size > 0).length;
  for (let n = told; n < onChain; n++) found.push(doubled(`transfer ${n} beyond the purchases`));
  for (let n = onChain; n < rows.length; n++) found.push(lost(`transfer ${n} of a settled payment`));
  return found;
}

/** What the service has been paid, raw units. */
export async function incomeOf({ deployment, provider }: Chained): Promise<bigint> {
  const dollar = deployment.registry.assets.find(({ symbol }) => symbol === "USDL");
  const abi = ["function balanceOf(address) view returns (uint256)"];
  const token = new Contract(dollar?.address ?? "", abi, provider);
  return token.getFunction("balanceOf").staticCall(localAccounts().payee.address);
}

/** Every judgement has one entry, each report that was shown among them, and every checkpoint is of this tree. */
export async function auditLog(db: Database, { reports, checkpoints }: Ledger): Promise<Finding[]> {
  const tree = await findLogTree(db);
  if (tree === undefined) return reports.length === 0 ? [] : [lost("the decision log")];
  const entries = await readEntries(db, 0, tree.size);
  const waiting = (await db.selectFrom("log_waiting").select("entry").execute()).map(({ entry }) => entry);
  const all = new Set([...entries, ...waiting]);
  const found: Finding[] = [];
  if (tree.refused !== null) found.push(doubled(`the log: ${tree.refused}`));
  for (let n = all.size; n < entries.length + waiting.length; n++)
    found.push(doubled(`entry ${n} of the log`));
  for (const { logged } of reports)
    if (logged?.log && !all.has(entryText(entryOf(logged, logged.log.salt))))
      found.push(lost(`entry of ${logged.jobId}/${logged.version}`));
  const nodes = createTreeReader(db).nodes(tree.size);
  const logs = [developmentLogSigner().keyOf(LOG_ORIGIN)];
  for (const { size, root } of [...checkpoints].map((note) => openCheckpoint(note, { logs })))
    if (size > tree.size) found.push(lost(`checkpoint of ${size}`));
    else if (bytesToHex(await rootAt(size, nodes, FAST_HASHER)) !== bytesToHex(root))
      found.push(doubled(`checkpoint of ${size} with another root`));
  return found;
}

/** Each submitted trade is followed once, and one that was reported as confirmed stays so. */
async function auditTrades(db: Database, { trades }: Ledger): Promise<Finding[]> {
  const rows = await db.selectFrom("executions").select(["transaction_hash", "state"]).execute();
  const found: Finding[] = [];
  for (const [hash, { isConfirmed }] of trades) {
    const own = rows.filter(({ transaction_hash }) => transaction_hash === hash);
    if (own.length > 1) found.push(doubled(`trade ${hash}`));
    if (own.length === 0 || (isConfirmed && own[0]?.state !== "confirmed")) found.push(lost(`trade ${hash}`));
  }
  return found;
}

/** No sample of a series stands twice under one second. */
async function auditRounds(db: Database): Promise<Finding[]> {
  const { rows } = await sql<{ series_id: number; sampled_at: number }>`
    select series_id, sampled_at from raw_samples group by series_id, sampled_at having count(*) > 1
  `.execute(db);
  return rows.map(({ series_id, sampled_at }) => doubled(`samples of series ${series_id} at ${sampled_at}`));
}
