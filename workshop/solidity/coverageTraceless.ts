/**
 * Lets Hardhat's coverage measure code that knows where in memory it put something.
 *
 * What coverage puts between two statements reports a number from the memory that is free, and leaves it there. The
 * guard and its executor write a question to a token there in one statement and send it in the next, so that the
 * question would be spoiled. Here the report puts back what it found. Memory may be longer for it by a word.
 */
import type { HardhatPlugin } from "hardhat/types/plugins";

const LIBRARY = /^__NomicFoundationCoverage-/;
const LEAVES = /mstore\(ptr, coverageId\)[^\n]*\n([\s\S]*?pop\([\s\S]*?\n {6}\)\n)/;

/**
 * @param library the source that Hardhat puts beside the instrumented contracts
 * @returns the same, leaving memory as it was
 * @throws when the library is written otherwise than this knows
 */
export function traceless(library: string): string {
  const mended = library.replace(
    LEAVES,
    "let found := mload(ptr)\n      mstore(ptr, coverageId)\n$1      mstore(ptr, found)\n",
  );
  if (mended === library)
    throw new Error(
      "Hardhat's coverage reports in another way than workshop/solidity/coverageTraceless.ts knows.",
    );
  return mended;
}

export const coverageTraceless: HardhatPlugin = {
  id: "assay-coverage-traceless",
  hookHandlers: {
    solidity: async () => ({
      default: async () => ({
        async preprocessSolcInputBeforeBuilding(context, solcInput, next) {
          const input = await next(context, solcInput);
          for (const [path, source] of Object.entries(input.sources))
            if (LIBRARY.test(path)) source.content = traceless(source.content);
          return input;
        },
      }),
    }),
  },
};
