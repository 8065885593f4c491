/**
 * Compiles the Solidity tests themselves without optimiser and intermediate representation, which takes a quarter of
 * the time. What they test is deployed from its artifact (`vm.getCode`), which is built as it is shipped.
 */
import { globSync } from "node:fs";
import type { HardhatPlugin } from "hardhat/types/plugins";
import { paths, settings } from "./solidity.ts";

const PLAIN = { ...settings, viaIR: false, optimizer: { enabled: false } };

export const plainTests: HardhatPlugin = {
  id: "assay-plain-tests",
  hookHandlers: {
    config: async () => ({
      default: async () => ({
        async resolveUserConfig(userConfig, resolveVariable, next) {
          const resolved = await next(userConfig, resolveVariable);
          const tests = globSync(`${paths.tests}/**/*.t.sol`, { cwd: resolved.paths.root });
          for (const profile of Object.values(resolved.solidity.profiles)) {
            const [shipped] = profile.compilers;
            // One object for all of them: files of one configuration are compiled together, what they share once.
            const plain = { ...shipped!, settings: { ...shipped!.settings, ...PLAIN } };
            profile.overrides = Object.fromEntries(tests.map((path) => [path, plain]));
          }
          return resolved;
        },
      }),
    }),
  },
};
