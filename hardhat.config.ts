import { createRequire } from "node:module";
import hardhatToolbox from "@nomicfoundation/hardhat-toolbox-mocha-ethers";
import { defineConfig } from "hardhat/config";

export default defineConfig({
  plugins: [hardhatToolbox],
  paths: {
    // contracts/ is what gets audited; the other two are the local world's tokens and the tests' attackers.
    sources: ["contracts", "scripts/local/contracts", "test/support/contracts"],
    tests: "test/contracts",
  },
  solidity: {
    version: "0.8.35",
    // The compiler comes from npm, pinned, so that a build never downloads one.
    path: createRequire(import.meta.url).resolve("solc/soljson.js"),
    settings: {
      viaIR: true,
      evmVersion: "cancun",
      optimizer: { enabled: true, runs: 1_000_000 },
    },
  },
  // Its files use namespaces, which the type check of ours does not allow.
  test: {
    solidity: {
      fuzz: { runs: 256 },
      // Every step may revert: the handler keeps an account of what should have.
      invariant: { runs: 48, depth: 100, failOnRevert: true },
    },
  },
  typechain: { outDir: "types/contracts", tsNocheck: true },
});
