/**
 * The whole shape on loopback: three api processes and two workers behind HAProxy; a primary that two standbys stream
 * from, behind pgbouncer; Redis; the local chain and a facilitator. Each way between them leads through a proxy that can
 * swallow packets.
 */
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encryptKeystoreJson, JsonRpcProvider, Wallet } from "ethers";
import { environment } from "../../../api/settings/environment.ts";
import { Deployment } from "../../../chain/deployment.ts";
import { localAccounts } from "../../../devnet/accounts.ts";
import { localOptions } from "../../../devnet/facilitator.ts";
import { startFacilitator, type TestFacilitator } from "../../../test/support/paymentFacilitator.ts";
import { freePort } from "../../../test/support/ports.ts";
import { type SmallDisk, smallDisk } from "../../../test/support/smallDisk.ts";
import type { TestWorld } from "../../../test/support/world.ts";
import { type Haproxy, haproxy, type Pgbouncer, pgbouncer, type RedisServer, redisServer } from "./edges.ts";
import type { Programs } from "./packages.ts";
import { createPart, type Part } from "./part.ts";
import { type PostgresServer, postgresServer } from "./postgres.ts";
import { openWays, type WayThrough } from "./ways.ts";

const ROOT = join(import.meta.dirname, "../../..");
const PRIMARY_MEGABYTES = 1_024;
const PASSPHRASE = "a passphrase of the rehearsal";
export const LOG_ORIGIN = "rehearsal.localhost/log";
/** Of the default key; those of the limit probes have their own. */
const PLENTY = "100000";

export interface ServiceProcess extends Part {
  readonly role: "api" | "worker" | "all";
  readonly port: number;
  /** Folder of the sources that it starts from next. */
  build: string;
}

/** The ways on which packets can vanish. */
export type Way = "pgbouncer" | "primary" | "replica" | "redis" | "chain" | "streaming";

export interface Shape {
  readonly folder: string;
  readonly url: string;
  readonly deployment: Deployment;
  readonly provider: JsonRpcProvider;
  readonly chain: Part;
  readonly facilitator: TestFacilitator;
  readonly haproxy: Haproxy;
  readonly pgbouncer: Pgbouncer;
  readonly redis: RedisServer;
  /** Who is what changes when a standby is promoted. */
  readonly postgres: { primary: PostgresServer; standby: PostgresServer; readonly replica: PostgresServer };
  readonly ways: Record<Way, WayThrough>;
  readonly services: readonly ServiceProcess[];
  readonly api: readonly ServiceProcess[];
  readonly workers: readonly ServiceProcess[];
  /** Under the primary's data; null: this machine lets nobody mount one. */
  readonly disk: SmallDisk | null;
  readonly keystore: string;
  readonly passphrase: string;
  /** What a further process of the service is started with. */
  environmentOf(
    role: "api" | "worker",
    port: number,
    changes?: Record<string, string>,
  ): Record<string, string>;
  stop(): Promise<void>;
}

/** A folder that the user of PostgreSQL may enter. */
export function openFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "assay-rehearsal-"));
  chmodSync(folder, 0o755);
  return folder;
}

/** @param say told of each step @param keepsLogs whether its folder stays @throws Error with the end of the log of what did not start */
export async function startShape(
  programs: Programs,
  { say, keepsLogs }: { say(line: string): void; readonly keepsLogs: boolean },
): Promise<Shape> {
  const folder = openFolder();
  const closing: (() => unknown)[] = [];
  if (keepsLogs) say(`logs are in ${folder}, and stay there`);
  else closing.push(() => rmSync(folder, { recursive: true, force: true }));
  const stop = async () => {
    for (const close of closing.splice(0).reverse()) await Promise.resolve(close()).catch(() => {});
  };
  try {
    const keep = <P extends Part>(part: P): P => {
      closing.push(() => part.kill());
      return part;
    };
    say("the local chain");
    const world = await startChainOf(folder, keep);
    closing.push(() => world.provider.destroy());
    const facilitator = await startFacilitator({
      ...world,
      accounts: localAccounts(),
    } as unknown as TestWorld);
    closing.push(() => facilitator.stop());
    say("PostgreSQL: a primary and two standbys; pgbouncer and Redis");
    const disk = smallDisk(PRIMARY_MEGABYTES);
    if (disk !== null) {
      chmodSync(disk.folder, 0o755);
      closing.push(() => disk.remove());
    }
    const stores = await startStores(programs, { folder, disk, chainPort: world.port }, keep, closing);
    const { postgres, ways } = stores;
    const keys = await writeKeys(folder, world.deployment);
    const environmentOf = environments({ folder, facilitator, keys, ...world, ...stores });
    say("three api processes and two workers");
    const services = await startServices(folder, environmentOf, keep);
    const api = services.filter(({ role }) => role === "api");
    const front = keep(
      haproxy(
        programs,
        { folder, port: stores.frontPort },
        api.map(({ port }) => port),
      ),
    );
    await front.start();
    return {
      folder,
      url: `http://127.0.0.1:${front.port}`,
      ...world,
      facilitator,
      haproxy: front,
      pgbouncer: stores.pgbouncer,
      redis: stores.redis,
      postgres,
      ways,
      services,
      api,
      workers: services.filter(({ role }) => role === "worker"),
      disk,
      keystore: keys.keystore,
      passphrase: PASSPHRASE,
      environmentOf,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

export type Keep = <P extends Part>(part: P) => P;

/** The local chain, as a part. */
export async function startChainOf(folder: string, keep: Keep) {
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
    port,
    provider,
    deploymentFile: file,
    deployment: Deployment.parse(JSON.parse(readFileSync(file, "utf8"))),
  };
}

async function isUp(url: string): Promise<boolean> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] });
  return (await fetch(url, { method: "POST", body, signal: AbortSignal.timeout(2_000) })).status === 200;
}

async function startStores(
  programs: Programs,
  { folder, disk, chainPort }: { folder: string; disk: SmallDisk | null; chainPort: number },
  keep: Keep,
  closing: (() => unknown)[],
) {
  const [primaryPort, standbyPort, replicaPort, bouncerPort, redisPort, frontPort] = await ports(6);
  const server = (name: string, port: number, under = folder) =>
    keep(
      postgresServer(programs, {
        name,
        port,
        folder: join(under, name),
        logFile: join(folder, `${name}.log`),
      }),
    );
  const primary = server("primary", primaryPort!, disk?.folder);
  const standby = server("standby", standbyPort!);
  const replica = server("replica", replicaPort!);
  const { ways, close } = await openWays<Way>({
    pgbouncer: bouncerPort!,
    primary: primaryPort!,
    replica: replicaPort!,
    redis: redisPort!,
    chain: chainPort,
    streaming: primaryPort!,
  });
  closing.push(close);
  await primary.create();
  await primary.start();
  await primary.ask("create database assay");
  await Promise.all([
    standby.follow(primary, primaryPort!).then(() => standby.start()),
    replica.follow(primary, ways.streaming.port).then(() => replica.start()),
  ]);
  await primary.waitForStandby();
  const bouncerFolder = join(folder, "pgbouncer");
  mkdirSync(bouncerFolder);
  if (programs.user !== null) chownSync(bouncerFolder, programs.user.uid, programs.user.gid);
  const bouncer = keep(pgbouncer(programs, { folder: bouncerFolder, port: bouncerPort! }, ways.primary.port));
  const redis = keep(redisServer(programs, { folder, port: redisPort! }));
  await Promise.all([bouncer.start(), redis.start()]);
  return { postgres: { primary, standby, replica }, ways, pgbouncer: bouncer, redis, frontPort: frontPort! };
}

const ports = (count: number): Promise<number[]> => Promise.all(Array.from({ length: count }, freePort));

/** The keystore of the attestation key that the guard names, and what reports cost. */
export async function writeKeys(folder: string, deployment: Deployment) {
  const keystore = join(folder, "attestor.json");
  const passphraseFile = join(folder, "passphrase");
  const optionsFile = join(folder, "payment-options.json");
  writeFileSync(passphraseFile, `${PASSPHRASE}\n`, { mode: 0o600 });
  writeFileSync(keystore, await keystoreOf(localAccounts().attestation.privateKey), { mode: 0o600 });
  writeFileSync(optionsFile, JSON.stringify({ options: localOptions(deployment) }));
  return { keystore, passphraseFile, optionsFile };
}

/** With little work to open, since nobody shall wait for it and the key is worth nothing. */
export const keystoreOf = (privateKey: string): Promise<string> =>
  encryptKeystoreJson({ address: new Wallet(privateKey).address, privateKey }, PASSPHRASE, {
    scrypt: { N: 4_096 },
  });

/** What every process of the service is started with, wherever its database is. */
export function settingsOf(given: {
  readonly role: "api" | "worker" | "all";
  readonly port: number;
  readonly folder: string;
  /** Where clients find the service. */
  readonly publicPort: number;
  readonly deploymentFile: string;
  readonly rpcPort: number;
  readonly facilitatorUrl: string;
  readonly keys: Awaited<ReturnType<typeof writeKeys>>;
}): Record<string, string> {
  const { role, port, folder, keys } = given;
  return {
    PATH: environment().PATH ?? "",
    ROLE: role,
    HOST: "127.0.0.1",
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${given.publicPort}`,
    DATA_DIR: join(folder, `data-${port}`),
    DEPLOYMENT_FILE: given.deploymentFile,
    RPC_URL: `http://127.0.0.1:${given.rpcPort}`,
    ATTESTOR_KEYSTORE: keys.keystore,
    ATTESTOR_KEYSTORE_PASSPHRASE_FILE: keys.passphraseFile,
    LOG_ORIGIN,
    LOG_WAIT_MS: "3000",
    KEY_LIMIT_PER_MINUTE: PLENTY,
    ADDRESS_LIMIT_PER_MINUTE: PLENTY,
    PAYMENT_PHASE: "paid",
    PAYMENT_PAY_TO: localAccounts().payee.address,
    PAYMENT_OPTIONS_FILE: keys.optionsFile,
    FACILITATOR_URL: given.facilitatorUrl,
    FACILITATOR_TIMEOUT_MS: "3000",
  };
}

/** Of a process behind the balancer, which has noticed by then that it ends. */
export const BEHIND_BALANCER = { TRUST_PROXY: "1", DRAIN_MS: "3000" } as const;

function environments(given: {
  folder: string;
  deploymentFile: string;
  ways: Record<Way, WayThrough>;
  facilitator: TestFacilitator;
  keys: Awaited<ReturnType<typeof writeKeys>>;
  frontPort: number;
}): Shape["environmentOf"] {
  const { ways, frontPort, facilitator, ...rest } = given;
  const world = {
    ...rest,
    publicPort: frontPort,
    rpcPort: ways.chain.port,
    facilitatorUrl: facilitator.url,
  };
  return (role, port, changes = {}) => ({
    ...settingsOf({ ...world, role, port }),
    ...BEHIND_BALANCER,
    DATABASE_URL: `postgres://postgres@127.0.0.1:${ways.pgbouncer.port}/assay`,
    DATABASE_READ_URL: `postgres://postgres@127.0.0.1:${ways.replica.port}/assay`,
    REDIS_URL: `redis://127.0.0.1:${ways.redis.port}`,
    ...changes,
  });
}

/** As a service manager would start them: all at once. */
async function startServices(
  folder: string,
  environmentOf: Shape["environmentOf"],
  keep: Keep,
): Promise<ServiceProcess[]> {
  const names = [
    ...[1, 2, 3].map((n) => ["api", `api ${n}`] as const),
    ...[1, 2].map((n) => ["worker", `worker ${n}`] as const),
  ];
  const services = await Promise.all(
    names.map(async ([role, name]) => {
      const port = await freePort();
      return keep(serviceProcess({ name, role, port, folder, env: () => environmentOf(role, port) }));
    }),
  );
  await Promise.all(services.map((service) => service.start()));
  return services;
}

export function serviceProcess(given: {
  name: string;
  role: "api" | "worker" | "all";
  port: number;
  folder: string;
  env(): Record<string, string>;
}): ServiceProcess {
  const { name, role, port, folder } = given;
  const part = createPart({
    name,
    command: process.execPath,
    args: () => [join(service.build, "workshop/rehearse/shape/node.ts")],
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
