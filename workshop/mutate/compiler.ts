/** The pinned compiler, in this process. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { settings } from "../../build/solidity.ts";

const ROOT = join(import.meta.dirname, "../..");
const require = createRequire(import.meta.url);

/** What is mutated: the code, not the interface. */
export const SOURCES = [
  "contracts/TradeGuard.sol",
  "contracts/RouteExecutor.sol",
  "contracts/GuardDeployment.sol",
  "contracts/MandateModule.sol",
  "contracts/MandateSetup.sol",
] as const;

interface Output {
  readonly errors?: readonly { severity: string; formattedMessage: string }[];
  readonly sources: Record<string, { ast: unknown }>;
  readonly contracts: Record<string, Record<string, { evm: { bytecode: { object: string } } }>>;
}

export const sourceOf = (file: string): string => readFileSync(join(ROOT, file), "utf8");

function compile(sources: Record<string, string>, outputSelection: object, viaIR = settings.viaIR): Output {
  const { compile: solc } = require("solc") as {
    compile(
      input: string,
      callbacks: { import(path: string): { contents: string } | { error: string } },
    ): string;
  };
  const input = {
    language: "Solidity",
    sources: Object.fromEntries(Object.entries(sources).map(([path, content]) => [path, { content }])),
    // Those of the build, because a mutant may show in its gas alone.
    settings: { ...settings, viaIR, outputSelection },
  };
  const read = (path: string) => {
    try {
      return { contents: readFileSync(join(ROOT, path.startsWith("@") ? "node_modules" : "", path), "utf8") };
    } catch (error) {
      return { error: String(error) };
    }
  };
  return JSON.parse(solc(JSON.stringify(input), { import: read }));
}

export function treesOf(): Record<string, unknown> {
  const output = compile(Object.fromEntries(SOURCES.map((file) => [file, sourceOf(file)])), {
    "*": { "": ["ast"] },
  });
  return Object.fromEntries(SOURCES.map((file) => [file, output.sources[file]!.ast]));
}

/** Creation code by contract, hexadecimal without 0x. The executor's address follows from its own. */
export type Bytecodes = Readonly<Record<string, string>>;

/**
 * @param viaIR by default as it is shipped; without, it takes a third of the time
 * @returns undefined if a mutant does not compile
 */
export function bytecodesOf(
  files: readonly string[],
  replaced: Record<string, string> = {},
  viaIR?: boolean,
): Bytecodes | undefined {
  const sources = Object.fromEntries(files.map((file) => [file, replaced[file] ?? sourceOf(file)]));
  const wanted = Object.fromEntries(files.map((file) => [file, { "*": ["evm.bytecode.object"] }]));
  const output = compile(sources, wanted, viaIR);
  if (output.errors?.some(({ severity }) => severity === "error")) return undefined;
  return Object.fromEntries(
    files.map((file) => {
      const name = basename(file, ".sol");
      return [name, output.contracts[file]![name]!.evm.bytecode.object];
    }),
  );
}
