/**
 * `npm start`: the local chain and the API as two processes, so that it is the same as starting them apart
 * (`npm run chain`, `npm run api`). Ctrl-C and SIGTERM end both; when one dies, the other is ended too.
 */
import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { environment } from "../api/settings/environment.ts";
import { MALLOC_SETTINGS, NODE_FLAGS } from "../api/settings/processMemory.ts";
import HELP_LINES from "./startHelp.json" with { type: "json" };

const HELP = HELP_LINES.join("\n");

/** How long a child may take to end by itself. */
const GRACE_MS = 12_000;

const children: { name: string; process: ChildProcess }[] = [];
let ending = false;

/** Starts a program of this folder and resolves with what it says when it is ready. */
function launch(
  name: string,
  file: string,
  env: NodeJS.ProcessEnv,
  flags: readonly string[] = [],
): Promise<Record<string, unknown>> {
  const child = fork(join(import.meta.dirname, file), [], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    env,
    execArgv: [...process.execArgv, ...flags],
  });
  children.push({ name, process: child });
  return new Promise((ready) => {
    child.on("message", (message) => {
      if (typeof message === "object" && message !== null && "type" in message && message.type === "ready")
        ready(message as Record<string, unknown>);
    });
    child.on("exit", (code, signal) => {
      if (ending) return;
      console.error(`The ${name} ended (${signal ?? `exit code ${code}`}).`);
      void end(code === 0 ? 0 : 1);
    });
  });
}

async function end(exitCode: number): Promise<void> {
  if (ending) return;
  ending = true;
  // The API first: it still asks the chain while it finishes.
  for (const { process: child } of [...children].reverse()) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    const hard = setTimeout(() => child.kill("SIGKILL"), GRACE_MS);
    await gone;
    clearTimeout(hard);
  }
  process.exit(exitCode);
}

async function main(): Promise<void> {
  if (process.argv.includes("--help")) return console.log(HELP);
  const options = process.argv.slice(2);
  const unknown = options.filter((option) => option !== "--paid");
  if (unknown.length > 0) {
    console.error(`Unknown option ${unknown.join(" ")}.\n\n${HELP}`);
    process.exit(2);
  }
  process.on("SIGINT", () => void end(0));
  process.on("SIGTERM", () => void end(0));

  const started = Date.now();
  const env = environment();
  if (options.includes("--paid")) env.PAYMENT_PHASE = "paid";
  if (env.ASSAY_PROFILE !== "live") {
    const chain = await launch("local chain", "chain.ts", env);
    env.RPC_URL = String(chain.url);
    // The chain had its say: the port may have been 0, which is one to take and none to call.
    delete env.RPC_PORT;
  }
  await launch("API", "api.ts", { ...MALLOC_SETTINGS, ...env }, NODE_FLAGS);
  console.log(
    `Ready after ${((Date.now() - started) / 1000).toFixed(1)} s. Ctrl-C stops it; the next start continues with the same data.`,
  );
}

await main();
