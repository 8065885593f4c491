/**
 * The Solidity tests in this process, on the engine that Hardhat runs them on, one suite at a time. `hardhat test` starts,
 * looks whether anything is to be compiled and runs all of them, which takes many times as long.
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

/** What is asked of the tests: as in Hardhat's configuration. */
interface TestSettings {
  readonly fuzz: { readonly runs: number; readonly seed: string };
  readonly invariant: { readonly runs: number; readonly depth: number; readonly failOnRevert: boolean };
  readonly fsPermissions: { readonly readFile: readonly string[] };
}

/**
 * Runs the suite of this name, with the creation code of some contracts replaced.
 * @returns suite and test of each that fails
 * @throws Error where there is no such suite
 */
export type RunSuite = (name: string, codes: Bytecodes) => Promise<string[]>;

/** @param folder where the contracts and their tests have been built */
export async function openSuites(folder: string, settings: TestSettings): Promise<RunSuite> {
  const context = new EdrContext();
  await context.registerSolidityTestRunnerFactory(L1_CHAIN_TYPE, l1SolidityTestRunnerFactory());
  const built = FOLDERS.flatMap((path) => builtIn(join(folder, path)));
  const suites = built.filter(isSuite);
  if (suites.length === 0) throw new Error(`No Solidity tests have been built in ${folder}.`);
  const config = configOf(folder, suites, settings);
  const artifacts = built.map(artifactOf);
  return async (name, codes) => {
    const suite = suites.find(({ contractName }) => contractName === name);
    if (suite === undefined) throw new Error(`There is no suite ${name}.`);
    const deployed = artifacts.map((artifact) => {
      const code = codes[artifact.id.name];
      if (code === undefined) return artifact;
      return { id: artifact.id, contract: { ...artifact.contract, bytecode: `0x${code}` } };
    });
    const { testResults } = await new Promise<SuiteResult>((resolve, reject) => {
      context.runSolidityTests(L1_CHAIN_TYPE, deployed, [idOf(suite)], config, {}, resolve).catch(reject);
    });
    if (testResults.length === 0) throw new Error(`${name} has no test.`);
    const failed = testResults.filter(({ status }) => status !== "Success");
    // Without what a fuzz test is called with.
    return failed.map((result) => `${name}.${result.name.replace(/\(.*$/, "")}`);
  };
}

function configOf(
  folder: string,
  suites: readonly Built[],
  { fuzz, invariant, fsPermissions }: TestSettings,
): SolidityTestRunnerConfigArgs {
  const access = FsAccessPermission.ReadFile;
  return {
    fuzz,
    invariant,
    fsPermissions: fsPermissions.readFile.map((path) => ({ access, path })),
    projectRoot: folder,
    hardfork: OSAKA,
    localPredeploys: l1GenesisState(l1HardforkFromString(OSAKA)),
    disableBlockGasLimit: true,
    disableTransactionGasCap: true,
    collectStackTraces: CollectStackTraces.OnFailure,
    // What a test says of itself in its source.
    testSourcePaths: Object.fromEntries(
      suites.map((suite) => [idOf(suite).source, join(folder, suite.sourceName)]),
    ),
  };
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
