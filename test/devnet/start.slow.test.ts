import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { ROOT } from "../../build/buildOnce.ts";
import { freePort } from "../support/ports.ts";
import { start } from "../support/programs.ts";
import { throughProxy } from "../support/silentProxy.ts";
import { folderOfTest } from "../support/suite.ts";
import { until } from "../support/until.ts";
import { testWorld } from "../support/world.ts";

/** Every process that this one has started, and that those have. */
function descendants(pid: number): number[] {
  const lines = execFileSync("ps", ["-eo", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
  const processes = lines.map((line) => line.trim().split(/\s+/).map(Number));
  const below = (parent: number): number[] =>
    processes.flatMap(([child, itsParent]) => (itsParent === parent ? [child!, ...below(child!)] : []));
  return below(pid);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function left(pids: readonly number[]): Promise<readonly number[]> {
  for (let tries = 0; tries < 100 && pids.some(isRunning); tries++) await sleep(50);
  return pids.filter(isRunning);
}

/** Resolves when a program has printed the text. */
async function printed({ stdout, stderr }: ChildProcess, text: string): Promise<void> {
  let output = "";
  await new Promise<void>((resolve) => {
    for (const stream of [stdout!, stderr!])
      stream.setEncoding("utf8").on("data", (chunk) => {
        output += chunk;
        if (output.includes(text)) resolve();
      });
  });
}

/** The API says it while it serves already. */
const FILLING = "Looking for the simulated market's 90 days of history";

describe("npm run api", () => {
  const world = testWorld();
  const folder = folderOfTest("api");

  it("waits for a chain that is slow to start, says what for, and serves once it is there", async () => {
    await using proxy = await throughProxy(world.url);
    proxy.silence();
    const port = String(await freePort());
    const api = start("devnet/api.ts", [], { DATA_DIR: folder, PORT: port, RPC_URL: proxy.url });
    try {
      await api.printed(`Waiting for the local chain (npm run chain). It writes ${folder}`);
      await cp(join(world.dataDir, "chain/deployment.json"), join(folder, "chain/deployment.json"));
      // Long enough for it to ask, and to be left without an answer.
      await sleep(3_000);
      proxy.recover();
      await api.printed(FILLING);
      expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).to.equal(200);
    } finally {
      api.kill("SIGTERM");
      await api.ended;
    }
  });
});

describe("SIGTERM to npm start", function () {
  this.timeout(300_000);
  const folder = folderOfTest("start");

  /** With everything that it has started soon after it prints the text, at least so many processes. */
  async function expectEnds(cwd: string, text: string, least: number): Promise<void> {
    const env = { ...process.env, DATA_DIR: folder, PORT: "0", RPC_PORT: "0" };
    const npm = spawn("npm", ["start"], { cwd, env });
    await printed(npm, text);
    const started = await until(
      `${least} processes`,
      () => descendants(npm.pid!),
      (pids) => pids.length >= least,
    );
    npm.kill("SIGTERM");
    await once(npm, "close");
    expect(await left(started)).to.deep.equal([]);
  }

  it("ends what npm start has started, while it fills in the history", async () => {
    await expectEnds(ROOT, FILLING, 1);
  });

  it("ends the install of a fresh clone", async () => {
    const clone = join(folder, "clone");
    execFileSync("git", ["clone", "--quiet", "--depth=1", `file://${ROOT}`, clone]);
    // The shell, the script, and npm.
    await expectEnds(clone, "Installing packages…", 3);
  });
});
