/** Starts this package's programs for real, as a user's shell would, and reads what they print. */
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { Readable } from "node:stream";
import { realWorld } from "../../scripts/console.ts";
import { assayIn } from "./typed.ts";

const ROOT = join(import.meta.dirname, "../..");

export type Program = ReturnType<typeof start>;

/** Those that a test which failed left behind would keep a run from ending. */
const running = new Set<ChildProcess>();
process.once("exit", endPrograms);

/** Ends all that still run; belongs into a root hook. */
export function endPrograms(): void {
  for (const child of running) killGroup(child);
}

function killGroup({ pid }: ChildProcess): void {
  try {
    process.kill(-(pid as number), "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

/** @param env added to the environment of the tests */
export function start(script: string, args: readonly string[], env: Record<string, string>) {
  const child = spawn(process.execPath, [join(ROOT, script), ...args], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    // A process group of its own, so that a crash can take its children with it.
    detached: true,
  });
  let output = "";
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      output += chunk;
      for (const look of waiting) look();
    });
  running.add(child);
  const ended = new Promise<number | null>((resolve) =>
    child.on("close", (code) => {
      running.delete(child);
      resolve(code);
    }),
  );
  return {
    process: child as ChildProcess,
    /** Everything printed so far, both streams. */
    output: () => output,
    /** Resolves with the exit code; null when a signal ended it. */
    ended,
    kill: (signal: NodeJS.Signals) => void child.kill(signal),
    /** Ends it and its children at once, as a power cut would. */
    crash: async () => {
      if (child.exitCode === null && child.signalCode === null) killGroup(child);
      await ended;
    },
    /** Resolves when the text was printed; rejects when the program ends before. */
    printed: (text: string) =>
      new Promise<void>((resolve, reject) => {
        const look = () => {
          if (!output.includes(text)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
        void ended.then((code) =>
          reject(new Error(`${script} ended with ${code} before "${text}":\n${output}`)),
        );
      }),
  };
}

/** Runs a program to its end. */
export async function run(script: string, args: readonly string[], env: Record<string, string>) {
  const program = start(script, args, env);
  const code = await program.ended;
  return { code, output: program.output() };
}

/**
 * Starts a process that runs a function of a test, with a channel for messages. The process gets the text of the function
 * and its arguments as JSON. So the function imports all that it needs, and nothing around it is there.
 * @param folder from which its imports are relative: the test's own
 */
export function startFunction<Args extends readonly unknown[]>(
  folder: string,
  work: (...args: Args) => unknown,
  ...args: Args
): ChildProcess {
  const script = `await (${work})(...${JSON.stringify(args)});`;
  return spawn(process.execPath, ["--input-type=module", "--eval", script], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
}

/** What a command left with and printed. */
export type Ran = { readonly code: number | null; readonly out: string; readonly err: string };

const ASSAY = join(ROOT, "scripts/assay.ts");

/**
 * Runs the real `assay`, for fifteen seconds at most.
 * @param input null leaves standard input open, as a program that has more to say would
 */
export function realAssay(
  args: readonly string[],
  input: string | null = "",
  onSpawn: (child: ChildProcess) => void = () => {},
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const limits = { timeout: 15_000, killSignal: "SIGKILL" } as const;
    const child = spawn(process.execPath, [ASSAY, ...args], { ...limits, ...options });
    let [out, err] = ["", ""];
    child.stdout.on("data", (data) => (out += data));
    child.stderr.on("data", (data) => (err += data));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, out, err }));
    child.stdin.on("error", () => {});
    onSpawn(child);
    if (input !== null) child.stdin.end(input);
  });
}

/**
 * Runs `assay` in this process, which costs a hundredth of a start; files are real.
 * @param input what standard input holds
 */
export async function assay(
  args: string[],
  input = "",
  env: NodeJS.ProcessEnv = process.env,
): Promise<Ran & { code: number }> {
  const [out, err]: [string[], string[]] = [[], []];
  const world = {
    ...realWorld(env, Object.assign(Readable.from([Buffer.from(input)]), { isTTY: false })),
    out: (line: string) => void out.push(`${line}\n`),
    err: (line: string) => void err.push(`${line}\n`),
  };
  const code = await assayIn(args, world);
  return { code, out: out.join(""), err: err.join("") };
}
