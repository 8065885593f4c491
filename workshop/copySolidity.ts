/** A copy of the project's Solidity with its tests, elsewhere, where it can be compiled otherwise than it is shipped. */
import { cpSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { solidityTests } from "../build/solidity.ts";

const ROOT = join(import.meta.dirname, "..");
const COPIED = [
  "contracts",
  "test/contracts",
  "test/support",
  "chain/contracts",
  "devnet/contracts",
  "build",
  "package.json",
  "tsconfig.json",
];

/**
 * @param name the beginning of the folder's name
 * @param tests how the Solidity tests run there
 * @returns the folder, in the operating system's folder for such; who asks for it removes it
 */
export function copySolidity(name: string, tests: object = solidityTests): string {
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
  for (const path of COPIED) cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  writeFileSync(
    join(folder, "hardhat.config.ts"),
    `import hardhatTypechain from "@nomicfoundation/hardhat-typechain";
import { defineConfig } from "hardhat/config";
import { compiling } from "./build/compiling.ts";
import { paths, solidity, typechain } from "./build/solidity.ts";

export default defineConfig({
  plugins: [hardhatTypechain, compiling],
  paths,
  solidity,
  typechain,
  test: { solidity: ${JSON.stringify(tests)} },
});
`,
  );
  return folder;
}
