/** The base of the rehearsed topology: a folder, the local chain, a facilitator, keys, and processes of the service. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encryptKeystoreJson, JsonRpcProvider, Wallet } from "ethers";
import { environment } from "../../../api/settings/environment.ts";
import { Deployment } from "../../../chain/deployment.ts";
import { localAccounts } from "../../../devnet/accounts.ts";
import { localOptions } from "../../../devnet/facilitator.ts";
import { startFacilitator, type TestFacilitator } from "../../../test/support/paymentFacilitator.ts";
import { freePort } from "../../../test/support/ports.ts";
import type { TestWorld } from "../../../test/support/world.ts";
import { createPart, type Part } from "./part.ts";

const ROOT = join(import.meta.dirname, "../../..");
const PASSPHRASE = "a passphrase of the rehearsal";
export const LOG_ORIGIN = "rehearsal.localhost/log";
/** Requests a minute that no client here reaches. */
const PLENTY = "100000";

export interface ServiceProcess extends Part {
  readonly role: "api" | "worker";
  readonly port: number;
  /** Folder of the sources that it starts from next. */
  build: string;
}

/** Remembers a part, which is killed at the end. */
type Keep = <P extends Part>(part: P) => P;

export interface Base extends Awaited<ReturnType<typeof startChain>> {
  readonly folder: string;
  readonly facilitator: TestFacilitator;
  readonly keys: Awaited<ReturnType<typeof writeKeys>>;
  readonly keep: Keep;
  /** Called at the end, the last first. */
  readonly closing: (() => unknown)[];
}

/**
 * @param build makes the topology on the base @returns the topology, to be stopped together with its base
 * @throws Error with the end of the log of what did not start
 */
export async function withBase<T extends object>(
  { say, keepsLogs = false }: { say(line: string): void; readonly keepsLogs?: boolean },
  build: (base: Base) => Promise<T>,
): Promise<T & { stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), "assay-rehearsal-"));
  // The user of PostgreSQL has to enter it.
  chmodSync(folder, 0o755);
  const closing: (() => unknown)[] = [];
  if (keepsLogs) say(`logs are in ${folder}, and stay there`);
  else closing.push(() => rmSync(folder, { recursive: true, force: true }));
  const stop = async () => {
    for (const close of closing.splice(0).reverse()) await Promise.resolve(close()).catch(() => {});
  };
  const keep: Keep = (part) => {
    closing.push(() => part.kill());
    return part;
  };
  try {
    say("the local chain");
    const world = await startChain(folder, keep);
    closing.push(() => world.provider.destroy());
    const served = { ...world, accounts: localAccounts() } as unknown as TestWorld;
    const facilitator = await startFacilitator(served);
    closing.push(() => facilitator.stop());
    const keys = await writeKeys(folder, world.deployment);
    return Object.assign(await build({ ...world, folder, facilitator, keys, keep, closing }), { stop });
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startChain(folder: string, keep: Keep) {
  const port = await freePort();
  const dataDir = join(folder, "chain");
  mkdirSync(dataDir);
  const url = `http://127.0.0.1:${port}`;
  const provider = new JsonRpcProvider(url, 31_337, {
    batchMaxCount: 1,
    cacheTimeout: -1,
    staticNetwork: true,
    pollingInterval: 250,
  });
  const chain = keep(
    createPart({
      name: "the chain's node",
      command: process.execPath,
      args: () => ["devnet/chain.ts"],
      cwd: ROOT,
      env: () => ({ ...environment(), DATA_DIR: dataDir, RPC_PORT: String(port) }),
      logFile: join(folder, "chain.log"),
      ready: async () =>
        readFileSync(join(folder, "chain.log"), "utf8").includes("Local chain") && (await isUp(url)),
    }),
  );
  await chain.start();
  const file = join(dataDir, "chain", "deployment.json");
  return {
    chain,
    rpcPort: port,
    provider,
    deploymentFile: file,
    deployment: Deployment.parse(JSON.parse(readFileSync(file, "utf8"))),
  };
}

async function isUp(url: string): Promise<boolean> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] });
  return (await fetch(url, { method: "POST", body, signal: AbortSignal.timeout(2_000) })).status === 200;
}

/** The keystore of the attestation key that the guard names, and what reports cost. */
async function writeKeys(folder: string, deployment: Deployment) {
  const keystore = join(folder, "attestor.json");
  const passphraseFile = join(folder, "passphrase");
  const optionsFile = join(folder, "payment-options.json");
  writeFileSync(passphraseFile, `${PASSPHRASE}\n`, { mode: 0o600 });
  writeFileSync(keystore, await keystoreOf(localAccounts().attestation.privateKey), { mode: 0o600 });
  writeFileSync(optionsFile, JSON.stringify({ options: localOptions(deployment) }));
  return { keystore, passphraseFile, optionsFile };
}

/** With little work to open, since nobody shall wait for it and the key is worth nothing. */
const keystoreOf = (privateKey: string): Promise<string> =>
  encryptKeystoreJson({ address: new Wallet(privateKey).address, privateKey }, PASSPHRASE, {
    scrypt: { N: 4_096 },
  });

/** What every process of the service is started with. */
export function settingsOf(given: {
  readonly role: "api" | "worker";
  readonly port: number;
  /** Where clients find the service. */
  readonly publicPort: number;
  readonly databaseUrl: string;
  readonly base: Base;
}): Record<string, string> {
  const { role, port } = given;
  const { deploymentFile, facilitator, folder, keys, rpcPort } = given.base;
  return {
    PATH: environment().PATH ?? "",
    ROLE: role,
    HOST: "127.0.0.1",
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${given.publicPort}`,
    TRUST_PROXY: "1",
    // The balancer has noticed by then that it ends.
    DRAIN_MS: "3000",
    DATABASE_URL: given.databaseUrl,
    DATA_DIR: join(folder, `data-${port}`),
    DEPLOYMENT_FILE: deploymentFile,
    RPC_URL: `http://127.0.0.1:${rpcPort}`,
    ATTESTOR_KEYSTORE: keys.keystore,
    ATTESTOR_KEYSTORE_PASSPHRASE_FILE: keys.passphraseFile,
    LOG_ORIGIN,
    // As docs/spec/log.md demands of workers that take over from each other.
    LOG_STATE_DIR: join(folder, "log-state"),
    LOG_WAIT_MS: "3000",
    KEY_LIMIT_PER_MINUTE: PLENTY,
    ADDRESS_LIMIT_PER_MINUTE: PLENTY,
    PAYMENT_PHASE: "paid",
    PAYMENT_PAY_TO: localAccounts().payee.address,
    PAYMENT_OPTIONS_FILE: keys.optionsFile,
    FACILITATOR_URL: facilitator.url,
    FACILITATOR_TIMEOUT_MS: "3000",
  };
}

export function serviceProcess(given: {
  name: string;
  role: "api" | "worker";
  port: number;
  folder: string;
  env(): Record<string, string>;
}): ServiceProcess {
  const { name, role, port, folder } = given;
  const part = createPart({
    name,
    command: process.execPath,
    args: () => [join(service.build, "workshop/rehearse/topology/node.ts")],
    cwd: folder,
    isElsewhere: true,
    env: given.env,
    logFile: join(folder, `${name.replace(" ", "-")}.log`),
    ready: async () =>
      (await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(2_000) })).status === 200,
  });
  const service: ServiceProcess = Object.assign(part, { role, port, build: ROOT });
  return service;
}
