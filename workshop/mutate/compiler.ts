/** The pinned compiler, in this process. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { settings } from "../../build/solidity.ts";

const ROOT = join(import.meta.dirname, "../..");
const require = createRequire(import.meta.url);

/** Each has the code of the one before in its own: tests deploy the last. */
const GUARD = ["contracts/RouteExecutor.sol", "contracts/TradeGuard.sol", "contracts/GuardDeployment.sol"];
/** Of these each is compiled for its own defects alone. */
const OTHERS = ["contracts/MandateModule.sol", "contracts/MandateSetup.sol"];

/** Creation code by contract, hexadecimal without 0x. */
export type Bytecodes = Readonly<Record<string, string>>;

interface Output {
  readonly errors?: readonly { severity: string; formattedMessage: string }[];
  readonly contracts: Record<string, Record<string, { evm: { bytecode: { object: string } } }>>;
}

export const sourceOf = (file: string): string => readFileSync(join(ROOT, file), "utf8");

/** Those of all contracts as they are. */
export function unchangedBytecodes(): Bytecodes {
  const output = compile([...GUARD, ...OTHERS], {});
  const error = output.errors?.find(({ severity }) => severity === "error");
  if (error !== undefined) throw new Error(error.formattedMessage);
  return codesIn(output, [...GUARD, ...OTHERS]);
}

/** @returns those of the contracts that a file with another source changes; undefined: it does not compile */
export function bytecodesWith(file: string, source: string): Bytecodes | undefined {
  const affected = GUARD.includes(file) ? GUARD : [file];
  const output = compile(affected, { [file]: source });
  if (output.errors?.some(({ severity }) => severity === "error")) return undefined;
  return codesIn(output, affected);
}

function codesIn(output: Output, files: readonly string[]): Bytecodes {
  const codes: Record<string, string> = {};
  for (const file of files) {
    const name = basename(file, ".sol");
    codes[name] = output.contracts[file]![name]!.evm.bytecode.object;
  }
  return codes;
}

function compile(files: readonly string[], replaced: Readonly<Record<string, string>>): Output {
  const { compile: solc } = require("solc") as {
    compile(
      input: string,
      callbacks: { import(path: string): { contents: string } | { error: string } },
    ): string;
  };
  const sources = Object.fromEntries(
    files.map((file) => [file, { content: replaced[file] ?? sourceOf(file) }]),
  );
  const outputSelection = Object.fromEntries(files.map((file) => [file, { "*": ["evm.bytecode.object"] }]));
  // Without the intermediate representation, which takes a third of the time and behaves alike.
  const input = { language: "Solidity", sources, settings: { ...settings, viaIR: false, outputSelection } };
  const read = (path: string) => {
    try {
      return { contents: readFileSync(join(ROOT, path.startsWith("@") ? "node_modules" : "", path), "utf8") };
    } catch (error) {
      return { error: String(error) };
    }
  };
  return JSON.parse(solc(JSON.stringify(input), { import: read }));
}
