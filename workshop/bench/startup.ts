/**
 * How long a process of the service takes from its start until `/readyz` says 200, by role. It runs on a migrated
 * PostgreSQL, beside a running chain, from the sources of this checkout. Roles take turns, so that other load on the
 * machine affects all equally.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { withTables } from "../../cli/database.ts";
import { freePort } from "../../test/support/ports.ts";
import { settingsOf, withBase } from "../rehearse/topology/base.ts";
import { withEngine } from "./databases.ts";
import { optionsGiven, wholeNumber } from "./given.ts";
import { median, processorOf } from "./measure.ts";

const ROLES = ["api", "worker", "all"] as const;
const STARTS = 15;
const LOOK_EVERY_MS = 10;
const PATIENCE_MS = 60_000;
const SERVER = join(import.meta.dirname, "../../api/server.ts");

interface Start {
  readonly readyMs: number;
  readonly processorMs: number;
}

export async function bench(): Promise<void> {
  const given = optionsGiven({ starts: { type: "string", default: String(STARTS) } });
  const starts = wholeNumber("starts", given.starts, 1);
  await withWorld(async (environmentOf) => {
    const found = new Map(ROLES.map((role) => [role, [] as Start[]]));
    for (let n = -1; n < starts; n++)
      for (const role of ROLES) {
        const start = await startOnce(environmentOf(role, await freePort()));
        // The first of each finds the disk cold.
        if (n >= 0) found.get(role)!.push(start);
      }
    print(found, starts);
  });
}

type EnvironmentOf = (role: (typeof ROLES)[number], port: number) => Record<string, string>;

/** What a process of the service finds around it. */
async function withWorld(use: (environmentOf: EnvironmentOf) => Promise<void>): Promise<void> {
  const { base, stop } = await withBase({ say: (line) => console.error(line) }, async (base) => ({ base }));
  try {
    await withEngine("postgres", async (newDatabase) => {
      const databaseUrl = await newDatabase();
      await withTables(databaseUrl, async () => {});
      await use((role, port) => {
        const settings = settingsOf({ base, role, port, publicPort: port, rpcPort: base.rpcPort });
        mkdirSync(settings.DATA_DIR!);
        return { ...settings, DATABASE_URL: databaseUrl };
      });
    });
  } finally {
    await stop();
  }
}

/** @throws Error where it ends before it is ready */
async function startOnce(env: Record<string, string>): Promise<Start> {
  const began = performance.now();
  const child = spawn(process.execPath, [SERVER], { env, stdio: ["ignore", "ignore", "inherit"] });
  const ended = once(child, "exit");
  try {
    while (!(await isReady(env.PORT!))) {
      if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}`);
      if (performance.now() - began > PATIENCE_MS) throw new Error("the service was not ready in time");
      await sleep(LOOK_EVERY_MS);
    }
    return { readyMs: performance.now() - began, processorMs: processorOf(child.pid!) };
  } finally {
    child.kill("SIGTERM");
    await ended;
  }
}

async function isReady(port: string): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
  await answer?.arrayBuffer();
  return answer?.status === 200;
}

function print(found: ReadonlyMap<string, readonly Start[]>, starts: number): void {
  const ms = (values: number[]) =>
    `${median(values).toFixed(0)} ms (${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)})`;
  console.log(`${starts} starts of each role in turn; medians, and from the least to the most\n`);
  console.log("| ROLE | ready after | of the processor |\n|---|---|---|");
  for (const [role, of] of found)
    console.log(
      `| ${role} | ${ms(of.map(({ readyMs }) => readyMs))} | ${ms(of.map(({ processorMs }) => processorMs))} |`,
    );
}
