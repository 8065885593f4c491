import hardhatIgnition from "@nomicfoundation/hardhat-ignition";
import hardhatKeystore from "@nomicfoundation/hardhat-keystore";
import hardhatTypechain from "@nomicfoundation/hardhat-typechain";
import hardhatVerify from "@nomicfoundation/hardhat-verify";
import { configVariable, defineConfig } from "hardhat/config";
import { environment } from "./api/settings/environment.ts";
import { plainTests } from "./build/plainTests.ts";
import { paths, quickSolidityTests, solidity, solidityTests, typechain } from "./build/solidity.ts";
import { KEYS_TASKS } from "./cli/keys/tasks.ts";
import { ACCOUNT_COUNT, DEVELOPMENT_MNEMONIC } from "./devnet/accounts.ts";
import { TASKS } from "./scripts/tasks/index.ts";

export default defineConfig({
  plugins: [hardhatIgnition, hardhatKeystore, hardhatTypechain, hardhatVerify, plainTests],
  // `npx hardhat <task> --network <name>`: see docs/operations.md.
  tasks: [...TASKS, ...KEYS_TASKS],
  networks: {
    // The chain of `npm start`. Everybody has its keys, and its money is none.
    local: {
      type: "http",
      chainId: 31337,
      url: `http://127.0.0.1:${environment().RPC_PORT ?? 8545}`,
      accounts: { mnemonic: DEVELOPMENT_MNEMONIC, count: ACCOUNT_COUNT },
    },
    // Address and key come from the Hardhat keystore (`npx hardhat keystore set BSC_RPC_URL`), and are asked for when
    // they are needed: a dry run needs no key, but for that of `deploy`.
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
    // The same chain with the key of an account that holds dollars to pay back: `npm run payments -- refund`.
    bscRefunds: {
      type: "http",
      chainId: 56,
      url: configVariable("BSC_RPC_URL"),
      accounts: [configVariable("BSC_REFUND_KEY")],
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
    ...paths,
    // The journals of deployments lie with their records.
    ignition: "deployments/ignition",
  },
  solidity,
  test: { solidity: environment().ASSAY_TEST_ALL === "1" ? solidityTests : quickSolidityTests },
  typechain,
});
