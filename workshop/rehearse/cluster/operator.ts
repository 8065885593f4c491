/** What an operator does while clients go on: another attestation key, and a backup restored beside. */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { Contract, Wallet } from "ethers";
import { environment } from "../../../api/settings/environment.ts";
import { localAccounts } from "../../../devnet/accounts.ts";
import { freePort } from "../../../test/support/ports.ts";
import { keystoreOf, serviceProcess } from "../topology/base.ts";
import type { Scene, WholeFault } from "./fault.ts";

const OVERLAP_SECONDS = 600;
const WITHIN_MS = 20_000;

const ABI = ["function rotateSigner(address,uint256)", "function signer() view returns (address)"];

const rotated: WholeFault = {
  name: "The attestation key is rotated",
  isSurvived: true,
  holdMs: 4_000,
  async begin({ topology }) {
    const next = Wallet.createRandom();
    // The file first, as the runbook has it; each process takes it by itself.
    writeFileSync(topology.keys.keystore, await keystoreOf(next.privateKey), { mode: 0o600 });
    await everyone(topology.api, "waiting", next.address);
    const admin = new Wallet(localAccounts().deployer.privateKey, topology.provider);
    const guard = new Contract(topology.deployment.guard, ABI, admin);
    await (await guard.getFunction("rotateSigner").send(next.address, OVERLAP_SECONDS)).wait();
    await everyone(topology.api, "signer", next.address);
  },
};

/** Waits until /readyz of each says so. */
async function everyone(processes: Scene["topology"]["api"], what: "waiting" | "signer", address: string) {
  const until = performance.now() + WITHIN_MS;
  for (const { port } of processes)
    for (;;) {
      const text = await (await fetch(`http://127.0.0.1:${port}/readyz`)).text();
      const said = JSON.parse(text).attestation?.[what] ?? JSON.parse(text)[what];
      if (said === address) break;
      if (performance.now() > until) throw new Error(`port ${port} does not say ${what} ${address}: ${text}`);
      await sleep(200);
    }
}

const PROGRAM = join(import.meta.dirname, "../../../cli/assay.ts");

/** The operator's command, as it is typed. @throws Error with what it printed, where it ended with another code than 0 */
const assay = (args: readonly string[], databaseUrl: string) =>
  promisify(execFile)(process.execPath, [PROGRAM, ...args], {
    env: { ...environment(), DATABASE_URL: databaseUrl },
  });

/** Jobs that were acknowledged before the backup began. */
let before: string[] = [];
const BESIDE = "assay_beside";
/** As many of them are read through the process beside. */
const READ = 50;

const restored: WholeFault = {
  name: "A backup is made and restored beside",
  isSurvived: true,
  holdMs: 0,
  async begin({ topology, ledger }) {
    before = ledger.reports.map(({ jobId }) => jobId);
    const { primary } = topology.postgres;
    const file = join(topology.folder, `backup-${performance.now()}.gz`);
    await assay(["backup", "create", file], primary.url("assay"));
    await primary.ask(`drop database if exists ${BESIDE}`);
    await primary.ask(`create database ${BESIDE}`);
    await assay(["backup", "restore", file], primary.url(BESIDE));
  },
  async check(scene) {
    const { topology } = scene;
    const port = await freePort();
    const { folder } = topology;
    const url = topology.postgres.primary.url(BESIDE);
    const changes = { DATABASE_URL: url, DATABASE_READ_URL: url, LOG_STATE_DIR: join(folder, "log-beside") };
    const env = () => topology.environmentOf("api", port, changes);
    const beside = serviceProcess({ name: "api beside", role: "api", port, folder, env });
    await beside.start();
    try {
      return await missingIn(scene, `http://127.0.0.1:${port}`);
    } finally {
      await beside.kill();
    }
  },
};

/** Every acknowledged judgement is in the restored log, which anybody may read. */
async function missingIn({ ledger }: Scene, url: string): Promise<string[]> {
  const known = new Set(before);
  const reports = ledger.reports
    .filter(({ jobId, logged }) => logged !== null && known.has(jobId))
    .slice(-READ);
  const missing: string[] = [];
  for (const { jobId, evidenceHash } of reports) {
    const answer = await fetch(`${url}/log/find?evidenceHash=${evidenceHash}`);
    if (answer.status !== 200) missing.push(`${jobId} in the restored log: ${answer.status}`);
  }
  if (reports.length === 0) missing.push("nothing to look for in the restored log");
  return missing;
}

export const OPERATOR: readonly WholeFault[] = [rotated, restored];
