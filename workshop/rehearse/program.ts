/** Programs of the topology, which faults end, kill and freeze as machines that fail would. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const START_WITHIN_MS = 90_000;
const END_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 50;
/** Characters of a log that an error shows. */
const LOG_TAIL = 2_000;

/**
 * In a namespace of processes of its own, so that others take it for one of another machine, of which nobody can see that
 * it is gone. It takes root.
 */
const UNSHARE = ["unshare", "--pid", "--fork", "--kill-child"];
const MAY_UNSHARE = userInfo().uid === 0;

interface ProgramOptions {
  readonly name: string;
  /** The program and its arguments. */
  readonly command: readonly string[];
  readonly env: Record<string, string | undefined>;
  /** Where it runs and has its log. */
  readonly folder: string;
  /** Whether it looks to others as if it ran on another machine. */
  readonly isElsewhere?: boolean;
  /** Whether it does its work; asked until it does. */
  isReady(): Promise<boolean>;
}

export class Program {
  readonly name: string;
  /** What it is started with the next time. */
  command: readonly string[];
  readonly #options: ProgramOptions;
  readonly #isUnshared: boolean;
  #child: ChildProcess | null = null;

  constructor(options: ProgramOptions) {
    this.name = options.name;
    this.command = options.command;
    this.#options = options;
    this.#isUnshared = MAY_UNSHARE && options.isElsewhere === true;
  }

  /** Resolves when it is ready. @throws Error with the end of its log */
  async start(): Promise<void> {
    const { env, folder } = this.#options;
    const logFile = join(folder, `${this.name.replaceAll(" ", "-")}.log`);
    const words = this.#isUnshared ? [...UNSHARE, ...this.command] : this.command;
    const [program = "", ...args] = words;
    const log = openSync(logFile, "a");
    // A process group of its own, so that a signal reaches all the processes that it makes.
    this.#child = spawn(program, args, {
      cwd: folder,
      env,
      stdio: ["ignore", log, log],
      detached: true,
    });
    this.#child.on("error", () => {});
    closeSync(log);
    const until = performance.now() + START_WITHIN_MS;
    while (this.#isRunning && performance.now() < until) {
      if (await this.#options.isReady().catch(() => false)) return;
      await sleep(LOOK_EVERY_MS);
    }
    throw new Error(`${this.name} did not start:\n${readFileSync(logFile, "utf8").slice(-LOG_TAIL)}`);
  }

  /** Of the program itself, which `unshare` has started where it is elsewhere. */
  get pid(): number {
    const { pid } = this.#child!;
    if (!this.#isUnshared) return pid!;
    return Number.parseInt(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8"), 10);
  }

  /** As its supervisor ends it. @throws Error where it does not end by itself, or not well */
  async end(): Promise<void> {
    const ended = this.#ended();
    process.kill(this.pid, "SIGTERM");
    const code = await Promise.race([ended, sleep(END_WITHIN_MS, "late", { ref: false })]);
    if (code !== 0) throw new Error(`${this.name} ended with ${code}`);
  }

  /** As a machine that loses its power. */
  async kill(): Promise<void> {
    const ended = this.#ended();
    this.#signal("SIGKILL");
    await ended;
  }

  /** As a machine that stands still: nothing is closed, nothing answers. */
  freeze(): void {
    this.#signal("SIGSTOP");
  }

  /** A frozen one goes on, one that does not run is started. */
  async restore(): Promise<void> {
    this.#signal("SIGCONT");
    if (!this.#isRunning) await this.start();
  }

  get #isRunning(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Resolves with its exit code, at once where it does not run. */
  async #ended(): Promise<number | null> {
    if (!this.#isRunning) return null;
    const [code] = await once(this.#child!, "exit");
    return code;
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.#isRunning) process.kill(-this.#child!.pid!, signal);
  }
}

/** Starts programs, brings back those that do not run, and kills all of them at the end. */
export class Supervisor {
  readonly #programs: Program[] = [];

  /** All at once, as a service manager does. @throws Error for one that does not start */
  async start(...programs: readonly Program[]): Promise<void> {
    this.#programs.push(...programs);
    await Promise.all(programs.map((program) => program.start()));
  }

  async restore(): Promise<void> {
    await Promise.all(this.#programs.map((program) => program.restore()));
  }

  /** The signals are sent at once. */
  async kill(): Promise<void> {
    await Promise.all(this.#programs.map((program) => program.kill()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }
}
