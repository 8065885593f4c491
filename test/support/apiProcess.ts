/** api/server.ts as a process of its own, with a chain that is away: for what happens around requests. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { REGISTRY } from "./http.ts";
import { freePort } from "./ports.ts";

/** One of a test's own is ended by `await using`. */
export type ApiProcess = Awaited<ReturnType<typeof startApi>>;

/** Writes the file of a deployment whose guard nobody has put there. @returns its path */
export function guardlessDeployment(folder: string): string {
  const path = join(folder, "deployment.json");
  const [guard, executor] = Array(2).fill("0x0000000000000000000000000000000000000001");
  const deployment = { chainId: 31337, guard, executor, deployedAtBlock: 1, registry: REGISTRY };
  writeFileSync(path, JSON.stringify({ ...deployment, source: "simulated" }));
  return path;
}

/** @param stdout a file descriptor, or "pipe" */
export async function startApi(stdout: number | "pipe", env: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "assay-process-"));
  const deploymentFile = guardlessDeployment(folder);
  const port = await freePort();
  const dataDir = join(folder, "data");
  const child = spawn(process.execPath, ["api/server.ts"], {
    cwd: new URL("../..", import.meta.url),
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      PORT: String(port),
      DATA_DIR: dataDir,
      RPC_URL: "http://127.0.0.1:1",
      DEPLOYMENT_FILE: deploymentFile,
      ATTESTOR_PRIVATE_KEY: `0x${"7".repeat(64)}`,
      ADDRESS_LIMIT_PER_MINUTE: "100000",
      ...env,
    },
    stdio: ["ignore", stdout, "pipe"],
  });
  child.stderr?.resume();
  const ended = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; ; tries++) {
    const answer = await fetch(`${url}/healthz`).catch(() => null);
    if (answer?.status === 200) break;
    if (tries > 300 || child.exitCode !== null) throw new Error("the API did not start");
    await sleep(100);
  }
  const remove = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGKILL");
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  return {
    child,
    url,
    dataDir,
    /** Asks it to end. @returns exit code and signal, or null when it is still there after so long */
    end: async (withinMs: number) => {
      child.kill("SIGTERM");
      return Promise.race([ended, sleep(withinMs, null)]);
    },
    remove,
    [Symbol.asyncDispose]: remove,
  };
}
