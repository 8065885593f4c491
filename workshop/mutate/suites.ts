/**
 * The Solidity tests in this process, on the engine that Hardhat runs them on, one suite after the other until one
 * fails. `hardhat test` starts, looks whether anything is to be compiled and runs all of them to the end, which takes
 * many times as long as the suite that finds a mutant.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Artifact,
  type ArtifactId,
  CollectStackTraces,
  EdrContext,
  FsAccessPermission,
  L1_CHAIN_TYPE,
  l1GenesisState,
  l1HardforkFromString,
  l1SolidityTestRunnerFactory,
  OSAKA,
  type SolidityTestRunnerConfigArgs,
  type SuiteResult,
} from "@nomicfoundation/edr";
import { z } from "zod";
import type { Bytecodes } from "./compiler.ts";

/** Where a build of Hardhat's leaves the contracts, and where the tests. */
const FOLDERS = ["artifacts", "cache/test-artifacts"];

const Built = z.object({
  contractName: z.string(),
  sourceName: z.string(),
  inputSourceName: z.string().optional(),
  buildInfoId: z.templateLiteral(["solc-", z.string()]),
  abi: z.array(z.looseObject({ type: z.string(), name: z.string().optional() })),
  bytecode: z.string(),
  deployedBytecode: z.string(),
  linkReferences: z.record(z.string(), z.any()),
  deployedLinkReferences: z.record(z.string(), z.any()),
});
type Built = z.infer<typeof Built>;

interface Suite {
  readonly id: ArtifactId;
  readonly path: string;
}

/** What is asked of the tests: as in Hardhat's configuration. */
export interface TestSettings {
  readonly fuzz: { readonly runs: number; readonly seed: string };
  readonly invariant: { readonly runs: number; readonly depth: number; readonly failOnRevert: boolean };
  readonly fsPermissions: { readonly readFile: readonly string[] };
}

export class Suites {
  readonly #context: EdrContext;
  readonly #artifacts: readonly Artifact[];
  readonly #config: SolidityTestRunnerConfigArgs;
  /** The first is the most promising. */
  #order: readonly Suite[];

  private constructor(
    context: EdrContext,
    artifacts: readonly Artifact[],
    config: SolidityTestRunnerConfigArgs,
    order: readonly Suite[],
  ) {
    this.#context = context;
    this.#artifacts = artifacts;
    this.#config = config;
    this.#order = order;
  }

  /** @param folder where the contracts and their tests have been built */
  static async open(folder: string, settings: TestSettings): Promise<Suites> {
    const context = new EdrContext();
    await context.registerSolidityTestRunnerFactory(L1_CHAIN_TYPE, l1SolidityTestRunnerFactory());
    const built = FOLDERS.flatMap((path) => builtIn(join(folder, path)));
    const suites = built
      .filter(isSuite)
      .map((one) => ({ id: idOf(one), path: join(folder, one.sourceName) }));
    if (suites.length === 0) throw new Error(`No Solidity tests have been built in ${folder}.`);
    const config: SolidityTestRunnerConfigArgs = {
      ...settings,
      fsPermissions: settings.fsPermissions.readFile.map((path) => ({
        access: FsAccessPermission.ReadFile,
        path,
      })),
      projectRoot: folder,
      hardfork: OSAKA,
      localPredeploys: l1GenesisState(l1HardforkFromString(OSAKA)),
      disableBlockGasLimit: true,
      disableTransactionGasCap: true,
      collectStackTraces: CollectStackTraces.OnFailure,
      // What a test says of itself in its source.
      testSourcePaths: Object.fromEntries(suites.map(({ id, path }) => [id.source, path])),
    };
    return new Suites(context, built.map(artifactOf), config, suites);
  }

  /**
   * Runs all of them on the guard as it is, and puts those first that take least.
   * @throws Error naming what fails
   */
  async warmUp(codes: Bytecodes): Promise<void> {
    const artifacts = this.#with(codes);
    const timed = [];
    for (const suite of this.#order) {
      const began = performance.now();
      const failed = await this.#failureIn(suite, artifacts);
      if (failed !== undefined) throw new Error(`${failed} fails before anything is mutated.`);
      timed.push({ suite, ms: performance.now() - began });
    }
    this.#order = timed.sort((a, b) => a.ms - b.ms).map(({ suite }) => suite);
  }

  /**
   * The suite that found the last mutant comes first for the next, which is a neighbour of it.
   * @param codes creation code to deploy in the places of the contracts of these names
   * @returns suite and test that fail; undefined: none does
   */
  async firstFailure(codes: Bytecodes): Promise<string | undefined> {
    const artifacts = this.#with(codes);
    for (const suite of this.#order) {
      const failed = await this.#failureIn(suite, artifacts);
      if (failed === undefined) continue;
      this.#order = [suite, ...this.#order.filter((other) => other !== suite)];
      return failed;
    }
    return undefined;
  }

  #with(codes: Bytecodes): Artifact[] {
    return this.#artifacts.map(({ id, contract }) => {
      const code = codes[id.name];
      return { id, contract: code === undefined ? contract : { ...contract, bytecode: `0x${code}` } };
    });
  }

  async #failureIn({ id }: Suite, artifacts: readonly Artifact[]): Promise<string | undefined> {
    const { testResults } = await new Promise<SuiteResult>((resolve, reject) => {
      this.#context
        .runSolidityTests(L1_CHAIN_TYPE, [...artifacts], [id], this.#config, {}, resolve)
        .catch(reject);
    });
    if (testResults.length === 0) throw new Error(`${id.name} has no test.`);
    const failed = testResults.find(({ status }) => status !== "Success");
    return failed && `${id.name}.${failed.name}`;
  }
}

const builtIn = (folder: string): Built[] =>
  globSync("**/*.json", { cwd: folder, exclude: ["**/build-info/**"] })
    .sort()
    .map((path): unknown => JSON.parse(readFileSync(join(folder, path), "utf8")))
    .flatMap((content) => Built.safeParse(content).data ?? []);

const idOf = ({ contractName, inputSourceName, sourceName, buildInfoId }: Built): ArtifactId => ({
  name: contractName,
  source: inputSourceName ?? sourceName,
  solcVersion: buildInfoId.split("-")[1]!.replaceAll("_", "."),
});

function artifactOf(built: Built): Artifact {
  const { abi, bytecode, deployedBytecode, linkReferences, deployedLinkReferences } = built;
  const contract = { bytecode, deployedBytecode, linkReferences, deployedLinkReferences };
  return { id: idOf(built), contract: { ...contract, abi: JSON.stringify(abi) } };
}

const isSuite = ({ abi, bytecode }: Built): boolean =>
  bytecode !== "0x" &&
  abi.some(({ type, name }) => type === "function" && /^(test|invariant)/.test(name ?? ""));
