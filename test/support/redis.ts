/** A real Redis server on a port of its own, with a password, nothing on disk, and faults to be made. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Redis } from "ioredis";
import { needsProgram } from "./debian.ts";
import { freePort } from "./ports.ts";
import { until } from "./until.ts";

const PROGRAM = "/usr/bin/redis-server";
export const REDIS_PASSWORD = "redis-password";

/** One of a test's own is ended by `await using`. */
export async function startRedis(test: Mocha.Context) {
  needsProgram(test, PROGRAM, "redis-server");
  const port = await freePort();
  const url = `redis://:${REDIS_PASSWORD}@127.0.0.1:${port}/0`;
  let child: ChildProcess;
  const start = async () => {
    const options = { port, bind: "127.0.0.1", save: "", appendonly: "no", requirepass: REDIS_PASSWORD };
    const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
    child = spawn(PROGRAM, args, { stdio: "ignore" });
    await until("Redis", async () => (await command("ping").catch(() => null)) === "PONG");
  };
  const command = async (name: string, ...words: string[]) => {
    const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 });
    client.on("error", () => {});
    try {
      await client.connect();
      return await client.call(name, ...words);
    } finally {
      client.disconnect();
    }
  };
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  await start();
  return {
    url,
    /** As kill -9, all that it held forgotten. */
    kill,
    /** Again, empty, on the same port. */
    start,
    freeze: () => void child.kill("SIGSTOP"),
    thaw: () => void child.kill("SIGCONT"),
    /** What an administrator types. */
    command: (name = "ping", ...words: string[]) => command(name, ...words),
    remove: kill,
    [Symbol.asyncDispose]: kill,
  };
}
