// Runs programs that end with this one. Plain JavaScript, because it works before anything is installed.
import { spawn } from "node:child_process";
import { constants } from "node:os";

/** How long a program may take to end by itself: npm would finish its install first. */
const GRACE_MS = 2_000;

/** How often it looks whether the shell that npm started it by is still there. */
const PARENT_EVERY_MS = 100;

const running = new Set();
let handled = false;
/** Whether a signal came. */
let ending = false;

/** A program is the head of a process group of its own: what it started in turn ends with it. */
function end(child, signal) {
  try {
    if (process.platform === "win32") child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // It is gone already.
  }
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

/** A signal to this process ends the programs first, then this process with the code that shells know. */
function endOnSignals() {
  if (handled) return;
  handled = true;
  for (const signal of SIGNALS)
    process.once(signal, async () => {
      ending = true;
      await Promise.all(
        [...running].map(({ child, gone }) => {
          end(child, "SIGTERM");
          setTimeout(() => end(child, "SIGKILL"), GRACE_MS);
          return gone;
        }),
      );
      process.exit(128 + constants.signals[signal]);
    });
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd: string, env?: NodeJS.ProcessEnv, shows?: boolean }} options shows: prints here what it prints, instead
 *   of keeping it
 * @returns {Promise<{ status: number, output: string }>} what it exited with, and all that it printed
 */
export async function run(command, args, { cwd, env, shows = false }) {
  endOnSignals();
  const stream = shows ? "inherit" : "pipe";
  const child = spawn(command, args, {
    cwd,
    env,
    stdio: ["ignore", stream, stream],
    detached: process.platform !== "win32",
    shell: process.platform === "win32",
  });
  let output = "";
  for (const printed of [child.stdout, child.stderr])
    printed?.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
  const gone = new Promise((resolve) => {
    child.once("error", (error) => resolve({ status: 1, output: error.message }));
    child.once("close", (code) => resolve({ status: code ?? 1, output }));
  });
  const entry = { child, gone };
  running.add(entry);
  try {
    return await gone;
  } finally {
    running.delete(entry);
  }
}

/** npm hands a signal to the shell that it started this by. That ends by it, and tells nobody. */
export function endWithParent() {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    if (!ending) process.kill(process.pid, "SIGTERM");
  }, PARENT_EVERY_MS);
  watch.unref();
}

/**
 * Runs a program as if it were this one: it has the terminal, signals to this process reach it, and this process ends as it
 * ends.
 */
export async function runInstead(command, args, env) {
  const child = spawn(command, args, { env, stdio: "inherit" });
  for (const signal of SIGNALS) {
    process.removeAllListeners(signal);
    process.on(signal, () => {
      ending = true;
      // A terminal sends these to both. Twice would mean at once.
      if (signal === "SIGTERM" || !process.stdin.isTTY) child.kill(signal);
    });
  }
  const [code, signal] = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (...ended) => resolve(ended));
  });
  process.exit(signal === null ? code : 128 + constants.signals[signal]);
}
