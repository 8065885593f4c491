/** What clients were acknowledged, and whether all of it is there, once. */
import { bytesToHex } from "@noble/hashes/utils.js";
import { Contract, type JsonRpcProvider } from "ethers";
import { sql } from "kysely";
import { entryOfReport, findLogTree, type Logged, readEntries } from "../../api/log/entries.ts";
import { FAST_HASHER } from "../../api/log/hasher.ts";
import { developmentLogSigner } from "../../api/log/key.ts";
import { createTreeReader } from "../../api/log/tiles.ts";
import { openCheckpoint } from "../../attestor/log/checkpoint.ts";
import { rootAt } from "../../attestor/log/proving.ts";
import type { Deployment } from "../../chain/deployment.ts";
import type { Database } from "../../database/open.ts";
import { localAccounts } from "../../devnet/accounts.ts";
import { PRICE } from "../../test/support/x402.ts";
import { LOG_ORIGIN } from "./topology.ts";

export type Ledger = ReturnType<typeof createLedger>;

/** Every answer that a client was given and may rely on from then on. */
export const createLedger = () => ({
  /** Answers to each request for a job, which the client gave a name. */
  jobs: [] as { readonly name: string; readonly jobId: string }[],
  /** The job of each purchase that was answered. */
  purchases: [] as string[],
  /** As they were shown; their entry in the decision log can be checked where they show its salt. */
  reports: [] as Logged[],
  /** Trades that were sent and submitted, by transaction hash. */
  trades: new Map<string, { isConfirmed: boolean }>(),
  /** What the log signed and showed to anybody it must never take back. */
  checkpoints: new Set<string>(),
});

export function summaryOf({ jobs, purchases, reports, trades, checkpoints }: Ledger): string {
  const names = new Set(jobs.map(({ name }) => name));
  const confirmed = [...trades.values()].filter(({ isConfirmed }) => isConfirmed);
  return [
    `${names.size} jobs`,
    `${purchases.length} purchases`,
    `${reports.length} reports`,
    `${confirmed.length} of ${trades.size} trades confirmed`,
    `${checkpoints.size} checkpoints`,
  ].join(", ");
}

export interface Finding {
  readonly kind: "lost" | "doubled";
  /** Names the thing, so that it counts once however often it is looked for. */
  readonly what: string;
}

const lost = (what: string): Finding => ({ kind: "lost", what });
const doubled = (what: string): Finding => ({ kind: "doubled", what });

/** To be called while no client writes: a purchase that is under way counts as none. @param paid to the service, raw units */
export async function audit(db: Database, ledger: Ledger, paid: bigint): Promise<Finding[]> {
  return [
    ...(await auditJobs(db, ledger)),
    ...(await auditReports(db, ledger)),
    ...(await auditPayments(db, ledger, paid)),
    ...(await auditLog(db, ledger)),
    ...(await auditTrades(db, ledger)),
    ...(await auditSamples(db)),
  ];
}

/** Each name has one job, which every answer named. */
export async function auditJobs(db: Database, { jobs }: Ledger): Promise<Finding[]> {
  const rows = await db.selectFrom("jobs").select(["id", "client_request_id"]).execute();
  const stored = Map.groupBy(rows, ({ client_request_id }) => client_request_id);
  const answers = Map.groupBy(jobs, ({ name }) => name);
  const found: Finding[] = [];
  for (const [name, own] of answers) {
    const storedIds = (stored.get(name) ?? []).map(({ id }) => id);
    const answeredIds = new Set(own.map(({ jobId }) => jobId));
    if (storedIds.length > 1) found.push(doubled(`jobs of ${name}`));
    if (answeredIds.size > 1) found.push(doubled(`answers for ${name}`));
    for (const id of answeredIds) if (!storedIds.includes(id)) found.push(lost(`job ${id}`));
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

/** Each purchase that was answered is charged once, and the service's account has what its database says. */
export async function auditPayments(db: Database, { purchases }: Ledger, paid: bigint): Promise<Finding[]> {
  const rows = await db.selectFrom("payments").select("job_id").where("state", "=", "settled").execute();
  const charges = Map.groupBy(rows, ({ job_id }) => job_id);
  const found: Finding[] = [];
  for (const [jobId, { length }] of charges) if (length > 1) found.push(doubled(`charges for ${jobId}`));
  for (const jobId of purchases) if (!charges.has(jobId)) found.push(lost(`payment of ${jobId}`));
  const transfers = Number(paid / PRICE);
  for (let n = purchases.length; n < transfers; n++)
    found.push(doubled(`transfer ${n} beyond the purchases`));
  for (let n = transfers; n < rows.length; n++) found.push(lost(`transfer ${n} of a settled payment`));
  return found;
}

/** What the service's account has, raw units of the local dollar. */
export async function incomeOf(provider: JsonRpcProvider, { registry }: Deployment): Promise<bigint> {
  const dollar = registry.assets.find(({ symbol }) => symbol === "USDL")!;
  const token = new Contract(
    dollar.address,
    ["function balanceOf(address) view returns (uint256)"],
    provider,
  );
  return token.getFunction("balanceOf").staticCall(localAccounts().payee.address);
}

/** Every judgement has one entry, each report that was shown among them, and every checkpoint is of this tree. */
export async function auditLog(db: Database, { reports, checkpoints }: Ledger): Promise<Finding[]> {
  // Those that were shown before the tree is read: it grows, and readers go on.
  const shown = [...checkpoints];
  const tree = await findLogTree(db);
  if (tree === undefined) return reports.length === 0 ? [] : [lost("the decision log")];
  const waiting = await db.selectFrom("log_waiting").select("entry").execute();
  const entries = [...(await readEntries(db, 0, tree.size)), ...waiting.map(({ entry }) => entry)];
  const different = new Set(entries);
  const found: Finding[] = [];
  if (tree.refused !== null) found.push(doubled(`the log: ${tree.refused}`));
  for (let n = different.size; n < entries.length; n++) found.push(doubled(`entry ${n} of the log`));
  for (const report of reports) {
    const entry = entryOfReport(report);
    if (entry !== null && !different.has(entry))
      found.push(lost(`entry of ${report.jobId}/${report.version}`));
  }
  const nodes = createTreeReader(db).nodes(tree.size);
  const logs = [developmentLogSigner().keyOf(LOG_ORIGIN)];
  for (const note of shown) {
    const { size, root } = openCheckpoint(note, { logs });
    if (size > tree.size) found.push(lost(`checkpoint of ${size}`));
    else if (bytesToHex(await rootAt(size, nodes, FAST_HASHER)) !== bytesToHex(root))
      found.push(doubled(`checkpoint of ${size} with another root`));
  }
  return found;
}

/** Each submitted trade is followed once, and one that was reported as confirmed stays so. */
export async function auditTrades(db: Database, { trades }: Ledger): Promise<Finding[]> {
  const rows = await db.selectFrom("executions").select(["transaction_hash", "state"]).execute();
  const byHash = Map.groupBy(rows, ({ transaction_hash }) => transaction_hash);
  const found: Finding[] = [];
  for (const [hash, { isConfirmed }] of trades) {
    const [first, second] = byHash.get(hash) ?? [];
    if (second !== undefined) found.push(doubled(`trade ${hash}`));
    if (first === undefined || (isConfirmed && first.state !== "confirmed"))
      found.push(lost(`trade ${hash}`));
  }
  return found;
}

/** No two workers stored a sample of one series for the same second. */
export async function auditSamples(db: Database): Promise<Finding[]> {
  const { rows } = await sql<{ series_id: number; sampled_at: number }>`
    select series_id, sampled_at from raw_samples group by series_id, sampled_at having count(*) > 1
  `.execute(db);
  return rows.map(({ series_id, sampled_at }) => doubled(`samples of series ${series_id} at ${sampled_at}`));
}
