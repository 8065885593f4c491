/**
 * What of the project Hardhat compiles, how, and how its Solidity tests run. Apart from hardhat.config.ts, so that a
 * copy that does nothing else needs neither networks nor tasks.
 */
import { createRequire } from "node:module";

export const paths = {
  // contracts/ is what gets audited; the others are the lens that reads pools, the local world's tokens and the tests' attackers.
  sources: ["contracts", "chain/contracts", "devnet/contracts", "test/support/contracts"],
  tests: "test/contracts",
};

/** As the compiler itself takes them. */
export const settings = { viaIR: true, evmVersion: "cancun", optimizer: { enabled: true, runs: 1_000_000 } };

export const solidity = {
  compilers: [
    {
      version: "0.8.35",
      // The compiler comes from npm, pinned, so that a build never downloads one.
      path: createRequire(import.meta.url).resolve("solc/soljson.js"),
      settings,
    },
  ],
  // The guard's authority, whose ABI and code the service and the admin's commands need.
  npmFilesToBuild: ["@openzeppelin/contracts/access/manager/AccessManager.sol"],
  // Building the tests must not touch the contracts' build, which other tests import meanwhile.
  splitTestsCompilation: true,
};

/** What the tests read: the published bytecode of Safe's contracts. */
const SAFE = "node_modules/@safe-global/safe-contracts/build/artifacts/contracts";
const readFile = [
  `${SAFE}/Safe.sol/Safe.json`,
  `${SAFE}/proxies/SafeProxyFactory.sol/SafeProxyFactory.json`,
  `${SAFE}/handler/CompatibilityFallbackHandler.sol/CompatibilityFallbackHandler.json`,
];

/** What `npm test -- --all`, coverage and planted defects take. */
export const solidityTests = {
  fsPermissions: { readFile },
  fuzz: { runs: 256 },
  // Every step may revert: the handler keeps an account of what should have.
  invariant: { runs: 48, depth: 100, failOnRevert: true },
};

/** What `npm test` takes. */
export const quickSolidityTests = {
  ...solidityTests,
  fuzz: { runs: 64 },
  invariant: { ...solidityTests.invariant, runs: 16, depth: 50 },
};

// Its files use namespaces, which the type check of ours does not allow.
export const typechain = { outDir: "types/contracts", tsNocheck: true };
