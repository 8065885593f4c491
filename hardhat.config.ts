import { createRequire } from "node:module";
import hardhatToolbox from "@nomicfoundation/hardhat-toolbox-mocha-ethers";
import { configVariable, defineConfig } from "hardhat/config";
import { environment } from "./api/config.ts";
import { ACCOUNT_COUNT, DEVELOPMENT_MNEMONIC } from "./scripts/local/accounts.ts";
import { TASKS } from "./scripts/tasks/index.ts";

export default defineConfig({
  plugins: [hardhatToolbox],
  // `npx hardhat <task> --network <name>`: see docs/operations.md.
  tasks: TASKS,
  networks: {
    // The chain of `npm start`. Everybody has its keys, and its money is none.
    local: {
      type: "http",
      chainId: 31337,
      url: `http://127.0.0.1:${environment().RPC_PORT ?? 8545}`,
      accounts: { mnemonic: DEVELOPMENT_MNEMONIC, count: ACCOUNT_COUNT },
    },
    // Address and key come from the Hardhat keystore (`npx hardhat keystore set BSC_RPC_URL`), and are asked for when
    // they are needed: a dry run needs no key.
    bsc: {
      type: "http",
      chainId: 56,
      url: configVariable("BSC_RPC_URL"),
      accounts: [configVariable("BSC_ADMIN_KEY")],
    },
    // The same chain with the pauser's key, which can pause and nothing else: for more hands at night.
    bscPauser: {
      type: "http",
      chainId: 56,
      url: configVariable("BSC_RPC_URL"),
      accounts: [configVariable("BSC_PAUSER_KEY")],
    },
    // The same chain, signed by a program of its own: Frame with a hardware wallet behind it, web3signer, Clef's node.
    bscSigner: {
      type: "http",
      chainId: 56,
      url: configVariable("BSC_SIGNER_URL"),
      accounts: "remote",
    },
  },
  // Explorers that take sources: `npx hardhat guard verify --network bsc`.
  verify: { etherscan: { apiKey: configVariable("ETHERSCAN_API_KEY") } },
  paths: {
    // contracts/ is what gets audited; the other two are the local world's tokens and the tests' attackers.
    sources: ["contracts", "scripts/local/contracts", "test/support/contracts"],
    tests: "test/contracts",
    // The journals of deployments lie with their records.
    ignition: "deployments/ignition",
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
