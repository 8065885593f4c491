/**
 * The image, built and tried: its size, what is in it, whose program it is, a trade from an intent to `confirmed` through
 * the API that runs in it, its health check, its end, and a second start on the same data. Needs buildah, debootstrap,
 * root and the network of the package registries.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { environment } from "../../api/settings/environment.ts";
import { ROOT } from "../../build/buildOnce.ts";
import { localAccounts } from "../../devnet/accounts.ts";
import { freePort } from "../../test/support/ports.ts";
import { makeBase } from "./base.ts";
import { makeContext } from "./context.ts";
import { buildah } from "./programs.ts";
import { startInImage } from "./started.ts";

const MAX_BYTES = 250_000_000;
const USER = 65532;
const NODE = "/opt/assay/bin/node";

const Inspected = z.object({
  OCIv1: z.object({ config: z.object({ User: z.string(), Env: z.array(z.string()) }) }),
});

/** @param folder new or empty, or one with a `debian` of debootstrap in it @throws Error where something is not as it should be */
export async function testImage(folder: string, log: (line: string) => void): Promise<void> {
  const store = join(folder, "store");
  const timed = timer(log);
  const base = timed("base", () => makeBase(folder, store));
  const context = join(folder, "context");
  timed("context", () => makeContext(context));
  timed("build", () =>
    buildah(
      store,
      "bud",
      "--isolation",
      "chroot",
      "--build-arg",
      `BASE=${base}`,
      "--tag",
      "localhost/assay",
      context,
    ),
  );
  await tryImage(folder, store, log);
}

/** @param store has the image as `localhost/assay` */
export async function tryImage(folder: string, store: string, log: (line: string) => void): Promise<void> {
  const { OCIv1 } = Inspected.parse(
    JSON.parse(buildah(store, "inspect", "--type", "image", "localhost/assay")),
  );
  check(OCIv1.config.User === `${USER}:${USER}`, `the user is ${OCIv1.config.User}`);
  const container = buildah(store, "from", "--isolation", "chroot", "localhost/assay").trim();
  const root = buildah(store, "mount", container).trim();
  checkContent(root, log);
  const ends: (() => Promise<unknown>)[] = [];
  try {
    await trade(folder, root, OCIv1.config.Env, ends, log);
  } finally {
    for (const end of ends.reverse()) await end();
    buildah(store, "umount", container);
    buildah(store, "rm", container);
  }
}

function timer(log: (line: string) => void) {
  return <T>(name: string, work: () => T): T => {
    const from = performance.now();
    const made = work();
    log(`${name}: ${((performance.now() - from) / 1_000).toFixed(1)} s`);
    return made;
  };
}

function check(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}

function checkContent(root: string, log: (line: string) => void): void {
  const { stdout } = spawnSync("du", ["-s", "--apparent-size", "--block-size=1", root], { encoding: "utf8" });
  const bytes = Number(stdout.split("\t")[0]);
  log(`size: ${(bytes / 1e6).toFixed(1)} MB, of at most ${MAX_BYTES / 1e6}`);
  check(bytes < MAX_BYTES, `the image has ${bytes} bytes`);
  for (const tool of ["gcc", "g++", "cc", "make", "python3", "npm", "npx", "sh", "bash", "apt", "dpkg"])
    for (const place of ["bin", "usr/bin", "usr/local/bin", "opt/assay/node_modules/.bin"])
      check(!existsSync(join(root, place, tool)), `${place}/${tool} is in the image`);
  for (const name of ["hardhat", "solc", "mocha", "typescript", "node-gyp"])
    check(!existsSync(join(root, "opt/assay/node_modules", name)), `the package ${name} is in the image`);
}

async function until(
  what: string,
  child: ChildProcess,
  output: () => string,
  holds: () => Promise<boolean>,
): Promise<void> {
  const limit = Date.now() + 120_000;
  while (!(await holds().catch(() => false))) {
    if (child.exitCode !== null || Date.now() > limit) throw new Error(`${what} did not come:\n${output()}`);
    await sleep(200);
  }
}

/** The local world's chain runs beside the image, as a node would; what runs in the image is the service itself. */
async function trade(
  folder: string,
  root: string,
  imageEnv: readonly string[],
  ends: (() => Promise<unknown>)[],
  log: (line: string) => void,
): Promise<void> {
  const [rpcPort, port] = [await freePort(), await freePort()];
  const [world, data] = [join(folder, "world"), join(folder, "data")];
  mkdirSync(data, { recursive: true });
  const chain = spawn(process.execPath, ["devnet/chain.ts"], {
    cwd: ROOT,
    env: { PATH: environment().PATH, DATA_DIR: world, RPC_PORT: String(rpcPort) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  chain.stdout.on("data", (chunk) => {
    said += chunk;
  });
  ends.push(() => ended(chain));
  await until(
    "the chain",
    chain,
    () => said,
    async () => said.includes("Accounts of the development mnemonic"),
  );
  cpSync(join(world, "chain/deployment.json"), join(data, "chain/deployment.json"), { recursive: true });
  const own = { PORT: String(port), HOST: "127.0.0.1", RPC_URL: `http://127.0.0.1:${rpcPort}` };
  await prepare(data, { ...own, DATA_DIR: data });
  handOver(data);

  const env = {
    ...Object.fromEntries(imageEnv.map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string])),
    ...own,
    ATTESTOR_PRIVATE_KEY: localAccounts().attestation.privateKey,
  };
  const start = async () => {
    const from = performance.now();
    const api = startInImage(root, data, env, [NODE, "/opt/assay/api/server.ts"]);
    const url = `http://127.0.0.1:${port}/readyz`;
    await until("the API", api.child, api.output, async () => (await fetch(url)).ok);
    log(`ready after ${((performance.now() - from) / 1_000).toFixed(1)} s`);
    return api;
  };
  let api = await start();
  ends.push(() => ended(api.child));
  checkUser(api.child, data, env, log);
  buy(data, log);

  const asked = performance.now();
  api.child.kill("SIGTERM");
  const [code] = await once(api.child, "exit");
  log(`ended with ${code} after ${((performance.now() - asked) / 1_000).toFixed(1)} s`);
  check(code === 0, `SIGTERM ended it with ${code}`);
  const health = startInImage(root, data, env, [NODE, "/opt/assay/bin/healthy.mjs"]);
  check((await once(health.child, "exit"))[0] === 1, "the health check calls what is gone healthy");
  api = await start();
  buy(data, log);
}

/** The local world's own API makes an API key and a history of its market in the folder, and ends. */
async function prepare(data: string, env: Readonly<Record<string, string>>): Promise<void> {
  const api = spawn(process.execPath, ["devnet/api.ts"], {
    cwd: ROOT,
    env: { PATH: environment().PATH, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  api.stdout.on("data", (chunk) => {
    said += chunk;
  });
  try {
    await until(
      "the local world",
      api,
      () => said,
      async () => existsSync(join(data, "local.json")) && said.includes("API key"),
    );
    // A grade needs the first round of the collectors.
    await until(
      "the market",
      api,
      () => said,
      async () => (await gradesOf(data)) > 0,
    );
  } finally {
    await ended(api);
  }
}

const Local = z.object({ baseUrl: z.string(), apiKey: z.string() });

/** How many tokens have a liquidity grade. */
async function gradesOf(data: string): Promise<number> {
  const { baseUrl, apiKey } = Local.parse(JSON.parse(readFileSync(join(data, "local.json"), "utf8")));
  const answer = await fetch(`${baseUrl}/api/v1/liquidity-scores`, { headers: { "x-api-key": apiKey } });
  return (await answer.text()).match(/"grade":"[AB]"/g)?.length ?? 0;
}

function handOver(folder: string): void {
  chownSync(folder, USER, USER);
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }))
    chownSync(join(folder, name), USER, USER);
}

/** Who runs, that the root cannot be written and the volume can, and that the health check agrees. */
function checkUser(
  { pid }: ChildProcess,
  data: string,
  env: Readonly<Record<string, string>>,
  log: (line: string) => void,
): void {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  check(new RegExp(`^Uid:\\s+${USER}\\s+${USER}`, "m").test(status), `it runs as another user:\n${status}`);
  const inside = (script: string) =>
    spawnSync(
      "nsenter",
      [
        `--mount=/proc/${pid}/ns/mnt`,
        `--root=/proc/${pid}/root`,
        `--setuid=${USER}`,
        `--setgid=${USER}`,
        NODE,
        ...script.split("\0"),
      ],
      { env: { PATH: environment().PATH, ...env }, encoding: "utf8" },
    );
  const write = (path: string) => inside(`-e\0require("fs").writeFileSync("${path}", "x")`);
  for (const path of ["/opt/assay/x", "/tmp/x", "/x"]) {
    const { status: code, stderr } = write(path);
    check(code !== 0 && /EROFS|EACCES/.test(stderr), `${path} can be written: ${stderr}`);
  }
  check(write("/tmp/x").stderr.includes("EROFS"), "the root is not mounted read-only");
  check(
    write("/var/lib/assay/x").status === 0 && existsSync(join(data, "x")),
    "the volume cannot be written",
  );
  const health = inside("/opt/assay/bin/healthy.mjs");
  check(health.status === 0, `the health check fails: ${health.stderr}`);
  log(`runs as ${USER}, root read-only, volume writable, health check 0`);
}

/** With the agent of the checkout, which the service never sees the wallet of. */
function buy(data: string, log: (line: string) => void): void {
  const from = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, ["cli/agent.ts"], {
    cwd: ROOT,
    env: { PATH: environment().PATH, DATA_DIR: data },
    encoding: "utf8",
    timeout: 120_000,
  });
  check(status === 0, `the trade failed:\n${stdout}${stderr}`);
  const line = stdout.split("\n").find((each) => each.startsWith("9. confirmed"));
  log(`${line} (${((performance.now() - from) / 1_000).toFixed(1)} s)`);
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  await Promise.race([gone, sleep(20_000).then(() => child.kill("SIGKILL"))]);
}
