/**
 * How Hardhat compiles what is not the guard, and on how many processors. Solidity tests and their own contracts are
 * compiled without optimiser and intermediate representation, which takes a quarter of the time. What they test is
 * deployed from its artifact (`vm.getCode`), which is built as it is shipped.
 */
import { globSync } from "node:fs";
import { availableParallelism } from "node:os";
import type { HardhatPlugin } from "hardhat/types/plugins";
import { settings } from "./solidity.ts";

const PLAIN = { ...settings, viaIR: false, optimizer: { enabled: false } };

/** By files, the settings of what is compiled apart from the guard. The last that has a file counts. */
const APART = [
  // These take as long as the guard, so two processors share the work.
  { files: ["contracts/Mandate*.sol", "chain/contracts/*.sol", "devnet/contracts/*.sol"], own: settings },
  { files: ["test/**/*.sol"], own: PLAIN },
  // The gas of trades is measured with these.
  { files: ["test/support/contracts/tokens/*.sol"], own: settings },
];

export const compiling: HardhatPlugin = {
  id: "assay-compiling",
  hookHandlers: {
    config: async () => ({
      default: async () => ({
        async resolveUserConfig(userConfig, resolveVariable, next) {
          const resolved = await next(userConfig, resolveVariable);
          for (const profile of Object.values(resolved.solidity.profiles)) {
            const [shipped] = profile.compilers;
            for (const { files, own } of APART) {
              // One object for all of them: files of one configuration are compiled together, what they share once.
              const compiler = { ...shipped!, settings: { ...shipped!.settings, ...own } };
              for (const path of globSync(files, { cwd: resolved.paths.root }))
                profile.overrides[path] = compiler;
            }
          }
          return resolved;
        },
      }),
    }),
    solidity: async () => ({
      default: async () => ({
        // Hardhat leaves one processor free by default: on two it would compile one job after the other.
        build: (context, files, options, next) =>
          next(context, files, { ...options, concurrency: availableParallelism() }),
      }),
    }),
  },
};
