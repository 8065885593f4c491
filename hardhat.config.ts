import hardhatIgnition from "@nomicfoundation/hardhat-ignition";
import hardhatKeystore from "@nomicfoundation/hardhat-keystore";
import hardhatTypechain from "@nomicfoundation/hardhat-typechain";
import hardhatVerify from "@nomicfoundation/hardhat-verify";
import { configVariable, defineConfig } from "hardhat/config";
import { environment } from "./api/settings/environment.ts";
import { CHAINS, type ChainRow } from "./attestor/chains.ts";
import { compiling } from "./build/compiling.ts";
import { paths, quickSolidityTests, solidity, solidityTests, typechain } from "./build/solidity.ts";
import { KEYS_TASK } from "./cli/keys/tasks.ts";
import { ACCOUNT_COUNT, DEVELOPMENT_MNEMONIC } from "./devnet/accounts.ts";
import { TASKS } from "./scripts/tasks/index.ts";

/**
 * A chain's networks. Address and key come from the Hardhat keystore (`npx hardhat keystore set BSC_RPC_URL`), and are
 * asked for when they are needed: a dry run needs no key, but for that of `deploy`.
 */
function networksOf({ network, chainId }: ChainRow) {
  if (network === null || chainId === null) return {};
  const prefix = network.toUpperCase();
  const url = configVariable(`${prefix}_RPC_URL`);
  const by = (key: string) => ({
    type: "http" as const,
    chainId,
    url,
    accounts: [configVariable(`${prefix}_${key}`)],
  });
  return {
    [network]: by("ADMIN_KEY"),
    // The pauser's key can pause and nothing else: for more hands at night.
    [`${network}Pauser`]: by("PAUSER_KEY"),
    // Signed by a program of its own: Frame with a hardware wallet behind it, web3signer, Clef's node.
    [`${network}Signer`]: {
      type: "http" as const,
      chainId,
      url: configVariable(`${prefix}_SIGNER_URL`),
      accounts: "remote" as const,
    },
  };
}

export default defineConfig({
  plugins: [hardhatIgnition, hardhatKeystore, hardhatTypechain, hardhatVerify, compiling],
  // `npx hardhat <task> --network <name>`: see docs/run/guard.md.
  tasks: [...TASKS, KEYS_TASK],
  networks: {
    // The chain of `npm start`. Everybody has its keys, and its money is none.
    local: {
      type: "http",
      chainId: 31337,
      url: `http://127.0.0.1:${environment().RPC_PORT ?? 8545}`,
      accounts: { mnemonic: DEVELOPMENT_MNEMONIC, count: ACCOUNT_COUNT },
    },
    ...Object.assign({}, ...Object.values(CHAINS).map(networksOf)),
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
