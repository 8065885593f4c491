/** Puts the guard's own code into a harness of properties and compiles it with the settings of the build. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { settings } from "../../build/solidity.ts";
import type { Block } from "./yul.ts";

const ROOT = join(import.meta.dirname, "../..");
const require = createRequire(import.meta.url);

export interface Property {
  /** `holds`: no way through the function fails an assert. `refuses`: no way through it returns. */
  readonly kind: "holds" | "refuses";
  readonly name: string;
  readonly selector: bigint;
  /** How many words of arguments a call has; all parameters are static. */
  readonly words: number;
}

export interface Harness {
  /** The deployed code, optimized as it is shipped. */
  readonly code: Block;
  readonly properties: readonly Property[];
}

interface Parameter {
  readonly components?: readonly Parameter[];
}

interface Output {
  readonly errors?: readonly { severity: string; formattedMessage: string }[];
  readonly contracts: Record<
    string,
    Record<
      string,
      {
        abi: readonly { name?: string; inputs?: readonly Parameter[] }[];
        evm: { methodIdentifiers: Record<string, string> };
        irOptimizedAst: { subObjects: readonly { code: { block: Block } }[] };
      }
    >
  >;
}

/** The file, what of it, and the lines of a function where it is not all of them. */
const MARKER = /^ *\/\/\/ real: (\S+) (\w+(?: \w+)*)(?:, lines with (.+))?$/gm;

/**
 * The harness with the real code in its place.
 * @param read the source of a file by its path in the project; a test gives another one to see a property refuted
 * @throws Error when the real code does not have what the harness names
 */
export function withRealCode(harness: string, read: (path: string) => string): string {
  return harness.replace(MARKER, (_, path: string, names: string, fragment: string | undefined) => {
    const source = read(path);
    return names
      .split(" ")
      .map((name) => realCode(source, path, name, fragment))
      .join("\n\n");
  });
}

function realCode(source: string, path: string, name: string, fragment: string | undefined): string {
  const [constant] = new RegExp(`^ *\\w+ private constant ${name} =[^;]*;`, "m").exec(source) ?? [];
  if (constant !== undefined) return constant;
  const [body] = new RegExp(`^( *)function ${name}\\b[\\s\\S]*?^\\1\\}`, "m").exec(source) ?? [];
  if (body === undefined) throw new Error(`${path} has no function ${name}.`);
  if (fragment === undefined) return body.replace(/\bexternal\b/, "public");
  const lines = body.split("\n").filter((line) => line.includes(fragment));
  if (lines.length === 0) throw new Error(`${name} of ${path} has no line with ${fragment}.`);
  return lines.join("\n");
}

export const sourceOf = (path: string): string => readFileSync(join(ROOT, path), "utf8");

/** @param source a harness with the real code in it @throws Error with the compiler's words when it does not compile */
export function compile(name: string, source: string): Harness {
  const solc = require("solc") as { compile(input: string, callbacks: object): string };
  const input = {
    language: "Solidity",
    sources: { [name]: { content: source } },
    settings: {
      ...settings,
      experimental: true,
      outputSelection: { [name]: { [name]: ["abi", "evm.methodIdentifiers", "irOptimizedAst"] } },
    },
  };
  const read = (path: string) => ({
    contents: sourceOf(path.startsWith("@") ? `node_modules/${path}` : path),
  });
  const output: Output = JSON.parse(solc.compile(JSON.stringify(input), { import: read }));
  const errors = output.errors?.filter(({ severity }) => severity === "error") ?? [];
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join("\n"));

  const { abi, evm, irOptimizedAst } = output.contracts[name]![name]!;
  const properties = Object.entries(evm.methodIdentifiers).flatMap(([signature, selector]) => {
    const [, kind, property] = /^(holds|refuses)_(\w+)\(/.exec(signature) ?? [];
    if (kind === undefined) return [];
    const entry = abi.find((candidate) => candidate.name === `${kind}_${property}`);
    return [
      {
        kind: kind as Property["kind"],
        name: property!.replaceAll("_", " "),
        selector: BigInt(`0x${selector}`),
        words: wordsOf(entry?.inputs ?? []),
      },
    ];
  });
  return { code: irOptimizedAst.subObjects[0]!.code.block, properties };
}

function wordsOf(inputs: readonly Parameter[]): number {
  return inputs.reduce((sum, { components }) => sum + (components ? wordsOf(components) : 1), 0);
}
