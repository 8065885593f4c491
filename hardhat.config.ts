/** What Hardhat does here: it compiles the contracts and runs their tests. `assay guard publish-source` adds explorers. */
import hardhatTypechain from "@nomicfoundation/hardhat-typechain";
import { defineConfig } from "hardhat/config";
import { environment } from "./api/settings/environment.ts";
import { compiling } from "./build/compiling.ts";
import { paths, quickSolidityTests, solidity, solidityTests, typechain } from "./build/solidity.ts";

export default defineConfig({
  plugins: [hardhatTypechain, compiling],
  paths,
  solidity,
  test: { solidity: environment().ASSAY_TEST_ALL === "1" ? solidityTests : quickSolidityTests },
  typechain,
});
