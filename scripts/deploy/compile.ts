/** Compiles guard and executor anew from the files that lie here, with the names of their immutable values. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { ArtifactResolver } from "@nomicfoundation/ignition-core";
import { z } from "zod";
import { AdminError } from "../adminErrors.ts";
import { DEPLOYMENT_NAME, PARTS, type Part } from "./build.ts";

const Range = z.object({ start: z.int(), length: z.int() });
const Contract = z.object({
  evm: z.object({
    bytecode: z.object({ object: z.string() }),
    deployedBytecode: z.object({
      object: z.string(),
      immutableReferences: z.record(z.string(), z.array(Range)).default({}),
    }),
  }),
});
const Output = z.object({
  errors: z.array(z.object({ severity: z.string(), formattedMessage: z.string() })).default([]),
  contracts: z.record(z.string(), z.record(z.string(), Contract)).default({}),
  sources: z.record(z.string(), z.object({ ast: z.unknown().optional() })).default({}),
});

/** A value that the constructor writes into the code, and where: byte offsets of the runtime code. */
export interface Immutable {
  readonly name: string;
  readonly ranges: readonly z.infer<typeof Range>[];
}

export interface CompiledContract {
  /** 0x, with zeros where the immutable values go. */
  readonly runtime: string;
  /** 0x, without constructor arguments. */
  readonly creation: string;
  readonly immutables: readonly Immutable[];
}

export interface Compiled extends Readonly<Record<Part, CompiledContract>> {
  readonly compiler: string;
}

/** The compiler's input: what `npm run build` gave it, by the names under which it did, which the code commits to. */
export interface CompilerInput {
  readonly sources: Readonly<Record<string, { readonly content: string }>>;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly language: string;
}

/**
 * Settings and names as the build had them, and every file as it lies here now.
 * @param root of the repository
 * @throws AdminError `refused` when nothing was built, or a file is gone since
 */
export async function readCompilerInput(artifacts: ArtifactResolver, root: string): Promise<CompilerInput> {
  const info = await artifacts.getBuildInfo(DEPLOYMENT_NAME).catch(() => undefined);
  if (info === undefined)
    throw new AdminError("refused", "The contracts are not compiled: run npm run build first.");
  const sources: Record<string, { content: string }> = {};
  // What tests and the local world compile beside it changes nothing of the code.
  const needed = Object.keys(info.input.sources).filter((name) => /^(project\/contracts|npm)\//.test(name));
  for (const name of needed) {
    const content = await readFile(join(root, pathOf(name)), "utf8").catch(() => null);
    if (content === null)
      throw new AdminError(
        "refused",
        `${pathOf(name)} is gone since it was compiled: run npm run build first.`,
      );
    sources[name] = { content };
  }
  return { language: info.input.language, sources, settings: { ...info.input.settings } };
}

/** `project/…` is the repository, `npm/<package>@<version>/…` a package. */
function pathOf(name: string): string {
  const project = /^project\/(.*)$/.exec(name);
  if (project) return project[1]!;
  const [, packageName = "", path = ""] = /^npm\/((?:@[^/]+\/)?[^/@]+)@[^/]+\/(.*)$/.exec(name) ?? [];
  return join("node_modules", packageName, path);
}

/**
 * Takes some ten seconds.
 * @throws AdminError `refused` with the compiler's words
 */
export function compileContracts(input: CompilerInput): Compiled {
  const solc = createRequire(import.meta.url)("solc") as {
    compile(input: string): string;
    version(): string;
  };
  const wanted = [
    "evm.bytecode.object",
    "evm.deployedBytecode.object",
    "evm.deployedBytecode.immutableReferences",
  ];
  const outputSelection = Object.fromEntries([
    ["*", { "": ["ast"] }],
    ...Object.values(PARTS).map((name) => {
      const [file, contract] = partsOf(input, name);
      return [file, { "": ["ast"], [contract]: wanted }] as const;
    }),
  ]);
  const output = Output.parse(
    JSON.parse(solc.compile(JSON.stringify({ ...input, settings: { ...input.settings, outputSelection } }))),
  );
  const fault = output.errors.find(({ severity }) => severity === "error");
  if (fault) throw new AdminError("refused", fault.formattedMessage);
  const names = new Map<string, string>();
  for (const { ast } of Object.values(output.sources)) nameVariables(ast, names);
  const contractOf = (name: string): CompiledContract => {
    const [file, contract] = partsOf(input, name);
    const made = output.contracts[file]?.[contract];
    if (made === undefined) throw new AdminError("refused", `The compiler made no ${contract}.`);
    const { bytecode, deployedBytecode } = made.evm;
    return {
      runtime: `0x${deployedBytecode.object}`,
      creation: `0x${bytecode.object}`,
      immutables: Object.entries(deployedBytecode.immutableReferences).map(([id, ranges]) => ({
        name: names.get(id) ?? id,
        ranges,
      })),
    };
  };
  const { manager, guard, executor } = PARTS;
  return {
    compiler: solc.version(),
    ...{ manager: contractOf(manager), guard: contractOf(guard), executor: contractOf(executor) },
  };
}

function partsOf({ sources }: CompilerInput, name: string): readonly [file: string, contract: string] {
  const [file = "", contract = ""] = name.split(":");
  const places = [file, join("node_modules", file)];
  return [Object.keys(sources).find((source) => places.includes(pathOf(source))) ?? file, contract];
}

/** The compiler tells immutable values by the numbers of their declarations in its syntax tree. */
function nameVariables(node: unknown, names: Map<string, string>): void {
  if (typeof node !== "object" || node === null) return;
  if ("nodeType" in node && node.nodeType === "VariableDeclaration" && "id" in node && "name" in node)
    names.set(String(node.id), String(node.name));
  for (const child of Object.values(node)) nameVariables(child, names);
}
