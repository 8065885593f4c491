/** One program of the topology, to be started, ended, killed and frozen, with all the processes that it makes. */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

const START_WITHIN_MS = 90_000;
const END_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 50;
const LOG_TAIL = 2_000;

export interface PartOptions {
  readonly name: string;
  readonly command: string;
  /** Asked at each start, since what it is started with may change between. */
  args(): readonly string[];
  env?(): Record<string, string | undefined>;
  readonly cwd?: string;
  /**
   * In a namespace of processes of its own, so that others take it for one of another machine, of which nobody can see
   * that it is gone. Takes root; without it the process is as close as it is.
   */
  readonly isElsewhere?: boolean;
  readonly user?: { readonly uid: number; readonly gid: number } | null;
  readonly logFile: string;
  /** Whether it does its work. Asked until it does. */
  ready(): Promise<boolean>;
}

export type Part = ReturnType<typeof createPart>;

export function createPart(options: PartOptions) {
  const { name, logFile } = options;
  let child: ChildProcess | null = null;
  let ended: Promise<number | null> = Promise.resolve(null);
  const alive = () => child !== null && child.exitCode === null && child.signalCode === null;
  const everyone = () => (child?.pid === undefined || !alive() ? [] : [child.pid, ...below(child.pid)]);

  /** The program itself, and not what stands before it. */
  const tell = (signal: NodeJS.Signals) => {
    const program = everyone()[elsewhere(options).length > 0 ? 1 : 0];
    if (program !== undefined) send([program], signal);
  };

  /** @throws Error with the end of its log */
  async function untilReady(): Promise<void> {
    const until = performance.now() + START_WITHIN_MS;
    while (performance.now() < until) {
      if (!alive()) break;
      if (await options.ready().catch(() => false)) return;
      await sleep(LOOK_EVERY_MS);
    }
    throw new Error(`${name} did not start:\n${readFileSync(logFile, "utf8").slice(-LOG_TAIL)}`);
  }

  return {
    name,
    /** Its processes, the first one first; none: it does not run. */
    get pids(): readonly number[] {
      return everyone();
    },
    /** Resolves when it is ready. @throws Error with the end of its log */
    async start() {
      const started = spawned(options);
      child = started;
      ended = new Promise((resolve) => {
        started.once("exit", (code) => resolve(code));
        started.once("error", () => resolve(null));
      });
      await untilReady();
    },
    /** Ends it as its supervisor would. @returns its exit code; null: it had to be killed */
    async end(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
      if (!alive()) return null;
      tell(signal);
      const code = await Promise.race([ended, sleep(END_WITHIN_MS, "late" as const)]);
      if (code !== "late") return code;
      send(everyone(), "SIGKILL");
      await ended;
      return null;
    },
    /** As a machine that loses its power. */
    async kill() {
      send(everyone(), "SIGKILL");
      await ended;
    },
    /** As a machine that stands still: nothing is closed, nothing answers. */
    freeze: () => send(everyone(), "SIGSTOP"),
    thaw: () => send(everyone(), "SIGCONT"),
  };
}

function spawned(options: PartOptions): ChildProcess {
  const log = openSync(options.logFile, "a");
  const [command, ...args] = [...elsewhere(options), options.command, ...options.args()];
  try {
    return spawn(command as string, args, {
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      ...(options.env === undefined ? {} : { env: options.env() }),
      ...(options.user ?? {}),
      stdio: ["ignore", log, log],
    });
  } finally {
    closeSync(log);
  }
}

const UNSHARE = ["unshare", "--pid", "--fork", "--kill-child"];

const elsewhere = ({ isElsewhere = false }: PartOptions): readonly string[] =>
  isElsewhere && userInfo().uid === 0 ? UNSHARE : [];

function send(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids)
    try {
      process.kill(pid, signal);
    } catch {
      // Gone by itself.
    }
}

/** Children and theirs: PostgreSQL's have process groups of their own. */
function below(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const entry of readdirSync("/proc").filter((each) => /^[0-9]+$/.test(each)))
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, "utf8");
      // The name, in brackets, may hold anything.
      parents.set(Number(entry), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]));
    } catch {
      // Ended meanwhile.
    }
  const found = [pid];
  for (const each of found) for (const [child, parent] of parents) if (parent === each) found.push(child);
  return found.slice(1);
}
