/** The pinned compiler, in this process. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { settings } from "../../build/solidity.ts";

const ROOT = join(import.meta.dirname, "../..");
const require = createRequire(import.meta.url);

/** What is mutated: the code, not the interface. */
export const SOURCES = ["contracts/TradeGuard.sol", "contracts/RouteExecutor.sol"] as const;

interface Output {
  readonly errors?: readonly { severity: string; formattedMessage: string }[];
  readonly sources: Record<string, { ast: unknown }>;
  readonly contracts: Record<string, Record<string, { evm: { bytecode: { object: string } } }>>;
}

export const sourceOf = (file: string): string => readFileSync(join(ROOT, file), "utf8");

function compile(sources: Record<string, string>, outputSelection: object): Output {
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
    settings: { ...settings, outputSelection },
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

/** Creation code of both contracts, hexadecimal without 0x. The executor's address follows from its own. */
export interface Bytecodes {
  readonly guard: string;
  readonly executor: string;
}

/** With some sources replaced; undefined if that does not compile. */
export function guardBytecode(replaced: Record<string, string>): Bytecodes | undefined {
  const sources = Object.fromEntries(SOURCES.map((file) => [file, replaced[file] ?? sourceOf(file)]));
  const output = compile(sources, { "*": { "*": ["evm.bytecode.object"] } });
  if (output.errors?.some(({ severity }) => severity === "error")) return undefined;
  const codeOf = (name: string) => output.contracts[`contracts/${name}.sol`]![name]!.evm.bytecode.object;
  return { guard: codeOf("TradeGuard"), executor: codeOf("RouteExecutor") };
}
