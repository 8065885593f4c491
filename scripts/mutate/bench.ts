/** A copy of what the contract tests need, where a mutated guard can be put in the real one's place. */
import { spawn } from "node:child_process";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { copySolidity } from "../solidity/copy.ts";
import { solidityTests } from "../solidity/settings.ts";

const ROOT = join(import.meta.dirname, "../..");
const TIMEOUT_MS = 300_000;

/** Fuzz less for each of hundreds of mutants, and each mutant alike. */
const TESTS = {
  fuzz: { runs: 48, seed: "0x01" },
  invariant: { ...solidityTests.invariant, runs: 8, depth: 60 },
};

/** A mutant that trades rightly for more gas is killed by the snapshot. */
const MOCHA = ["uniswap", "eip712", "gas"].map((name) => `test/contracts/${name}.test.ts`);

/** Tests that cost little come first; what survives them meets the rest. */
export const STAGES: readonly (readonly string[])[] = [
  ["solidity", "--no-compile", "@quick"],
  ["solidity", "--no-compile", "@slow"],
  ["mocha", "--no-compile", ...MOCHA],
];

const SLOW = /Invariants|OddTokens|Attacks/;

export class TestBench {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async create(): Promise<TestBench> {
    const bench = new TestBench(copySolidity("assay-mutate", TESTS));
    // Compiles sources and tests, and shows that the tests pass on the guard as it is.
    for (const args of [["build"], ["test", "solidity"], ["test", "mocha", ...MOCHA]]) {
      const { passed, output } = await bench.#hardhat(args);
      if (!passed) throw new Error(`The tests fail before anything is mutated:\n${output.slice(-4000)}`);
    }
    return bench;
  }

  /** Another one like it, without compiling again. */
  copy(): TestBench {
    const folder = mkdtempSync(join(tmpdir(), "assay-mutate-"));
    cpSync(this.folder, folder, { recursive: true, verbatimSymlinks: true });
    return new TestBench(folder);
  }

  put(bytecode: string): void {
    const artifact = join(this.folder, "artifacts/contracts/TradeGuard.sol/TradeGuard.json");
    const parsed = JSON.parse(readFileSync(artifact, "utf8"));
    writeFileSync(artifact, JSON.stringify({ ...parsed, bytecode: `0x${bytecode}` }));
    const factory = join(this.folder, "types/contracts/factories/contracts/TradeGuard__factory.ts");
    const source = readFileSync(factory, "utf8");
    writeFileSync(
      factory,
      source.replace(/const _bytecode =\s*"0x[0-9a-f]*"/, `const _bytecode = "0x${bytecode}"`),
    );
  }

  /** Which stage noticed, or undefined if none did. */
  async killedBy(): Promise<string | undefined> {
    for (const [runner, ...args] of STAGES) {
      const { passed, output } = await this.#hardhat([
        "test",
        runner!,
        ...args.flatMap((arg) => this.#files(arg)),
      ]);
      if (!passed) return /✗|\d+\) (\S.*)/.exec(output)?.[1]?.trim() ?? `${runner} ${args.at(-1)}`;
    }
    return undefined;
  }

  #files(arg: string): string[] {
    if (!arg.startsWith("@")) return [arg];
    const files = globSync("test/contracts/*.t.sol", { cwd: this.folder });
    return files.filter((file) => SLOW.test(basename(file)) === (arg === "@slow"));
  }

  #hardhat(args: readonly string[]): Promise<{ passed: boolean; output: string }> {
    return new Promise((resolve) => {
      const child = spawn(join(ROOT, "node_modules/.bin/hardhat"), args, {
        cwd: this.folder,
        stdio: ["ignore", "pipe", "pipe"],
        timeout: TIMEOUT_MS,
      });
      let output = "";
      child.stdout.on("data", (chunk) => {
        output += chunk;
      });
      child.stderr.on("data", (chunk) => {
        output += chunk;
      });
      child.on("close", (code) => resolve({ passed: code === 0, output }));
    });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
