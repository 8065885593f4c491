/** A copy of what the contract tests need, where mutants are tried out. */
import { type ChildProcess, fork, spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { solidityTests } from "../../build/solidity.ts";
import { copySolidity } from "../solidity/copy.ts";
import type { Bytecodes } from "./compiler.ts";
import type { Mutant } from "./mutants.ts";
import type { TestSettings } from "./suites.ts";
import type { Finding, Order } from "./worker.ts";

const ROOT = join(import.meta.dirname, "../..");
/** A build takes a minute and a half, and several times that on a busy machine. */
const PREPARE_SECONDS = 1800;
/** Far more than a mutant takes whose tests come to an end. */
const TIMEOUT_SECONDS = 300;

/** Fuzz less for each of hundreds of mutants, and each mutant alike. */
const TESTS: TestSettings = {
  ...solidityTests,
  fuzz: { runs: 48, seed: "0x01" },
  invariant: { ...solidityTests.invariant, runs: 8, depth: 60 },
};

/**
 * What survives the Solidity tests meets these; one that trades rightly for more gas is killed by the snapshot. A test
 * that takes long is no failure: all of them together are stopped, and have then found nothing.
 */
const MOCHA = [
  ...["mocha", "--exit", "--timeout", "0"],
  ...["uniswap", "eip712", "gas"].map((name) => `test/contracts/${name}.test.ts`),
];

/**
 * What became of a mutant. `stillborn`: does not compile. `unchanged`: compiles to the same code. `stopped`: the tests took
 * too long, or somebody ended them.
 */
export type Fate = "killed" | "survived" | "stillborn" | "unchanged" | "stopped";

export interface Verdict {
  readonly fate: Fate;
  readonly by?: string;
}

interface Run {
  readonly result: "passed" | "failed" | "stopped";
  readonly output: string;
}

export class TestBench {
  readonly folder: string;
  #worker: ChildProcess | undefined;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async create(): Promise<TestBench> {
    const bench = new TestBench(copySolidity("assay-mutate", TESTS));
    // Compiles sources and tests, and shows that the tests in TypeScript pass on the guard as it is.
    for (const command of [["hardhat", "build"], MOCHA]) {
      const { result, output } = await bench.#run(command, PREPARE_SECONDS);
      if (result === "passed") continue;
      bench.remove();
      throw new Error(
        result === "failed"
          ? `The tests fail before anything is mutated:\n${output.slice(-4000)}`
          : `${command[0]} was stopped, or took more than ${PREPARE_SECONDS / 60} minutes.`,
      );
    }
    return bench;
  }

  /** Another one like it, without compiling again. */
  copy(): TestBench {
    const folder = mkdtempSync(join(tmpdir(), "assay-mutate-"));
    cpSync(this.folder, folder, { recursive: true, verbatimSymlinks: true });
    return new TestBench(folder);
  }

  /**
   * What the tests say of a mutant. Tests that did not end say nothing.
   * @throws Error when they cannot be run, or fail on the guard as it is
   */
  async judge(mutant: Mutant): Promise<Verdict> {
    const worker = this.#worker ?? (await this.#startWorker());
    const finding = await answerOf(worker, () => worker.send(mutant), TIMEOUT_SECONDS);
    if (finding === undefined) {
      this.#worker = undefined;
      worker.kill("SIGKILL");
      return { fate: "stopped" };
    }
    switch (finding.kind) {
      case "stillborn":
      case "unchanged":
        return { fate: finding.kind };
      case "killed":
        return { fate: "killed", by: finding.by };
      case "passed":
        return this.#judgeByMocha(finding.bytecodes);
      default:
        throw new Error(finding.kind === "broken" ? finding.why : "Out of turn.");
    }
  }

  async #judgeByMocha(bytecodes: Bytecodes): Promise<Verdict> {
    this.#put(bytecodes);
    const { result, output } = await this.#run(MOCHA, TIMEOUT_SECONDS);
    if (result === "stopped") return { fate: "stopped" };
    if (result === "passed") return { fate: "survived" };
    const title = /^ {2}1\) (.*)$/m.exec(output)?.[1];
    return { fate: "killed", by: title ?? "a test in TypeScript" };
  }

  async #startWorker(): Promise<ChildProcess> {
    const order: Order = { folder: this.folder, tests: TESTS };
    const worker = fork(join(import.meta.dirname, "worker.ts"), [JSON.stringify(order)]);
    const finding = await answerOf(worker, () => {}, PREPARE_SECONDS);
    if (finding?.kind !== "ready") {
      worker.kill("SIGKILL");
      throw new Error(
        finding?.kind === "broken" ? finding.why : "The Solidity tests did not come to an end.",
      );
    }
    this.#worker = worker;
    return worker;
  }

  /** All, since tests compute where the executor stands from its code, which has the hash of its sources at its end. */
  #put(bytecodes: Bytecodes): void {
    for (const [name, bytecode] of Object.entries(bytecodes)) {
      const artifact = join(this.folder, `artifacts/contracts/${name}.sol/${name}.json`);
      const parsed = JSON.parse(readFileSync(artifact, "utf8"));
      writeFileSync(artifact, JSON.stringify({ ...parsed, bytecode: `0x${bytecode}` }));
      const factory = join(this.folder, `types/contracts/factories/contracts/${name}__factory.ts`);
      const source = readFileSync(factory, "utf8");
      const changed = source.replace(
        /const _bytecode =\s*"0x[0-9a-f]*"/,
        `const _bytecode = "0x${bytecode}"`,
      );
      writeFileSync(factory, changed);
    }
  }

  /** @param command a program of `node_modules`, and its arguments */
  #run([program = "", ...args]: readonly string[], seconds: number): Promise<Run> {
    return new Promise((resolve) => {
      const child = spawn(join(ROOT, "node_modules/.bin", program), args, {
        cwd: this.folder,
        stdio: ["ignore", "pipe", "pipe"],
      });
      const inTime = afterRunning(seconds, () => child.kill());
      let output = "";
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
      child.on("close", (code, signal) => {
        inTime();
        const stopped = child.killed || signal !== null;
        resolve({ result: stopped ? "stopped" : code === 0 ? "passed" : "failed", output });
      });
    });
  }

  remove(): void {
    this.#worker?.kill("SIGKILL");
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** @returns what the worker says next; undefined: nothing in time, or it is gone */
function answerOf(worker: ChildProcess, ask: () => void, seconds: number): Promise<Finding | undefined> {
  return new Promise((resolve) => {
    const done = (finding: Finding | undefined) => {
      inTime();
      worker.removeAllListeners("message").removeAllListeners("exit").removeAllListeners("error");
      resolve(finding);
    };
    const inTime = afterRunning(seconds, () => done(undefined));
    worker.once("message", (finding: Finding) => done(finding));
    worker.once("exit", () => done(undefined));
    worker.once("error", () => done(undefined));
    ask();
  });
}

/**
 * Counts the seconds that this process itself runs: it may be suspended, and its tests with it, and then goes on.
 * @returns what calls it off
 */
export function afterRunning(seconds: number, act: () => void, second = 1000): () => void {
  let left = seconds;
  const timer = setInterval(() => {
    if (--left > 0) return;
    clearInterval(timer);
    act();
  }, second);
  return () => clearInterval(timer);
}
