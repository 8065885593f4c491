/** A copy of what the contract tests need, where a mutated guard can be put in the real one's place. */
import { spawn } from "node:child_process";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { copySolidity } from "../solidity/copy.ts";
import { solidityTests } from "../solidity/settings.ts";
import type { Bytecodes } from "./compiler.ts";

const ROOT = join(import.meta.dirname, "../..");
/** A build takes a minute and a half, and several times that on a busy machine. */
const PREPARE_MS = 1_800_000;
/** Far more than any stage takes with a guard that comes to an end. */
const TIMEOUT_MS = 300_000;

interface Run {
  /** `stopped`: neither, for it took too long or somebody ended it. */
  readonly result: "passed" | "failed" | "stopped";
  readonly output: string;
}

/** Fuzz less for each of hundreds of mutants, and each mutant alike. */
const TESTS = {
  fuzz: { runs: 48, seed: "0x01" },
  invariant: { ...solidityTests.invariant, runs: 8, depth: 60 },
};

/** A mutant that trades rightly for more gas is killed by the snapshot. */
const MOCHA = ["uniswap", "eip712", "gas"].map((name) => `test/contracts/${name}.test.ts`);

/** Tests that cost little come first; what survives them meets the rest. */
const STAGES: readonly (readonly string[])[] = [
  ["solidity", "--no-compile", "@quick"],
  ["solidity", "--no-compile", "@slow"],
  ["mocha", "--no-compile", ...MOCHA],
];

const SLOW = /Invariants|OddTokens|Attacks|PackedSuites/;

export class TestBench {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async create(): Promise<TestBench> {
    const bench = new TestBench(copySolidity("assay-mutate", TESTS));
    // Compiles sources and tests, and shows that the tests pass on the guard as it is.
    for (const args of [["build"], ["test", "solidity"], ["test", "mocha", ...MOCHA]]) {
      const { result, output } = await bench.#hardhat(args, PREPARE_MS);
      if (result === "passed") continue;
      bench.remove();
      throw new Error(
        result === "failed"
          ? `The tests fail before anything is mutated:\n${output.slice(-4000)}`
          : `hardhat ${args.slice(0, 2).join(" ")} was stopped, or took more than ${PREPARE_MS / 60_000} minutes.`,
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

  /** Both, since tests compute where the executor stands from its code, which has the hash of its sources at its end. */
  put({ guard: bytecode, executor }: Bytecodes): void {
    for (const [name, code] of [
      ["TradeGuard", bytecode],
      ["RouteExecutor", executor],
    ]) {
      const artifact = join(this.folder, `artifacts/contracts/${name}.sol/${name}.json`);
      const parsed = JSON.parse(readFileSync(artifact, "utf8"));
      writeFileSync(artifact, JSON.stringify({ ...parsed, bytecode: `0x${code}` }));
    }
    const factory = join(this.folder, "types/contracts/factories/contracts/TradeGuard__factory.ts");
    const source = readFileSync(factory, "utf8");
    writeFileSync(
      factory,
      source.replace(/const _bytecode =\s*"0x[0-9a-f]*"/, `const _bytecode = "0x${bytecode}"`),
    );
  }

  /** What the tests say of the guard that was put here. Tests that did not end say nothing. */
  async judge(): Promise<"killed" | "survived" | "stopped"> {
    for (const [runner, ...args] of STAGES) {
      const files = args.flatMap((arg) => this.#files(arg));
      const { result } = await this.#hardhat(["test", runner!, ...files], TIMEOUT_MS);
      if (result !== "passed") return result === "failed" ? "killed" : "stopped";
    }
    return "survived";
  }

  #files(arg: string): string[] {
    if (!arg.startsWith("@")) return [arg];
    const files = globSync("test/contracts/*.t.sol", { cwd: this.folder });
    return files.filter((file) => SLOW.test(basename(file)) === (arg === "@slow"));
  }

  #hardhat(args: readonly string[], timeout: number): Promise<Run> {
    return new Promise((resolve) => {
      const child = spawn(join(ROOT, "node_modules/.bin/hardhat"), args, {
        cwd: this.folder,
        stdio: ["ignore", "pipe", "pipe"],
        timeout,
      });
      let output = "";
      child.stdout.on("data", (chunk) => {
        output += chunk;
      });
      child.stderr.on("data", (chunk) => {
        output += chunk;
      });
      child.on("close", (code, signal) => {
        const stopped = child.killed || signal !== null;
        resolve({ result: stopped ? "stopped" : code === 0 ? "passed" : "failed", output });
      });
    });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
