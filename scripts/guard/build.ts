/** The compiled contracts, and whether they are those of the sources that lie here. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { CommandError } from "../errors.ts";

const DEPLOYMENT_NAME = "contracts/GuardDeployment.sol:GuardDeployment";

/** The contracts on the chain after a deployment, which are compared with the compiled ones. */
export const PARTS = {
  manager: "@openzeppelin/contracts/access/manager/AccessManager.sol:AccessManager",
  guard: "contracts/TradeGuard.sol:TradeGuard",
  executor: "contracts/RouteExecutor.sol:RouteExecutor",
} as const;
export type Part = keyof typeof PARTS;

const Hex = z.string().regex(/^0x[0-9a-f]*$/);

/** What Hardhat writes of a compiled contract. */
const Artifact = z.object({
  bytecode: Hex,
  deployedBytecode: Hex,
  immutableReferences: z
    .record(z.string(), z.array(z.object({ start: z.int(), length: z.int() })))
    .default({}),
  buildInfoId: z.string(),
});
type Artifact = z.infer<typeof Artifact>;

const BuildInfo = z.object({
  solcLongVersion: z.string(),
  input: z.object({
    sources: z.record(z.string(), z.object({ content: z.string() })),
    settings: z.record(z.string(), z.unknown()),
  }),
});

export interface Build extends Readonly<Record<Part, Artifact>> {
  /** Creates the others in its constructor. */
  readonly deployment: Artifact;
  readonly compiler: { readonly version: string; readonly settings: Record<string, unknown> };
}

const parsed = async <T>(path: string, schema: z.ZodType<T>): Promise<T | null> =>
  await readFile(path, "utf8").then(
    (text) => schema.parse(JSON.parse(text)),
    () => null,
  );

/**
 * @param root of the repository
 * @param artifacts where `npm run build` leaves what it compiled
 * @throws CommandError `refused` when nothing is compiled, or something else than what lies here
 */
export async function readBuild(root: string, artifacts = join(root, "artifacts")): Promise<Build> {
  const load = (name: string) => parsed(join(artifacts, `${name.replace(":", "/")}.json`), Artifact);
  const names = [DEPLOYMENT_NAME, PARTS.manager, PARTS.guard, PARTS.executor];
  const [deployment, manager, guard, executor] = await Promise.all(names.map(load));
  const info = deployment && (await parsed(infoPath(artifacts, deployment, "json"), BuildInfo));
  if (!deployment || !manager || !guard || !executor || !info)
    throw new CommandError("refused", "The contracts are not compiled: run npm run build first.");
  const { sources } = info.input;
  for (const path of imported(sources, DEPLOYMENT_NAME.split(":")[0]!)) {
    const now = await readFile(join(root, path), "utf8").catch(() => null);
    if (now !== sources[`project/${path}`]?.content)
      throw new CommandError("refused", `${path} changed since it was compiled: run npm run build first.`);
  }
  const { outputSelection: _, ...settings } = info.input.settings;
  return { deployment, manager, guard, executor, compiler: { version: info.solcLongVersion, settings } };
}

const infoPath = (artifacts: string, { buildInfoId }: Artifact, end: "json" | "output.json") =>
  join(artifacts, "build-info", `${buildInfoId}.${end}`);

type Ranges = readonly { readonly start: number; readonly length: number }[];

/** The constructor writes these values into the code: byte offsets of the runtime code, by the name in the source. */
export interface CompiledContract extends Pick<Artifact, "bytecode" | "deployedBytecode"> {
  readonly immutables: readonly { readonly name: string; readonly ranges: Ranges }[];
}

export interface Compiled extends Readonly<Record<Part, CompiledContract>> {
  readonly compiler: string;
}

const Output = z.object({
  output: z.object({ sources: z.record(z.string(), z.object({ ast: z.unknown() })) }),
});

/**
 * The local build, to be compared with code on a chain.
 * @throws CommandError `refused` as `readBuild`
 */
export async function readCompiled(root: string, artifacts = join(root, "artifacts")): Promise<Compiled> {
  const { deployment, manager, guard, executor, compiler } = await readBuild(root, artifacts);
  const { output } = Output.parse(
    JSON.parse(await readFile(infoPath(artifacts, deployment, "output.json"), "utf8")),
  );
  const names = new Map<string, string>();
  for (const { ast } of Object.values(output.sources)) nameVariables(ast, names);
  const named = ({ bytecode, deployedBytecode, immutableReferences }: Artifact): CompiledContract => ({
    bytecode,
    deployedBytecode,
    immutables: Object.entries(immutableReferences).map(([id, ranges]) => ({
      name: names.get(id) ?? id,
      ranges,
    })),
  });
  return {
    manager: named(manager),
    guard: named(guard),
    executor: named(executor),
    compiler: compiler.version,
  };
}

/** The compiler tells immutable values by the numbers of their declarations in its syntax tree. */
function nameVariables(node: unknown, names: Map<string, string>): void {
  if (typeof node !== "object" || node === null) return;
  if ("nodeType" in node && node.nodeType === "VariableDeclaration" && "id" in node && "name" in node)
    names.set(String(node.id), String(node.name));
  for (const child of Object.values(node)) nameVariables(child, names);
}

/** A source of ours and those that it leads to. Not the others of its build; and what packages hold is fixed by the lock file. */
function imported(
  sources: Readonly<Record<string, { readonly content: string }>>,
  path: string,
  found = new Set<string>(),
): Set<string> {
  if (found.has(path)) return found;
  found.add(path);
  const { content = "" } = sources[`project/${path}`] ?? {};
  for (const [, file] of content.matchAll(/^import [^;]* from "\.\/(.+)";$/gm))
    imported(sources, join(path, "..", file!), found);
  return found;
}

/** Whether code on the chain is the artifact's, immutable values apart. */
export function isCodeOf(artifact: Artifact, code: string): boolean {
  const { deployedBytecode, immutableReferences } = artifact;
  const ranges = Object.values(immutableReferences).flat();
  return code.length === deployedBytecode.length && masked(ranges, code) === masked(ranges, deployedBytecode);
}

/** Zeros the immutables, which the constructor writes. @param ranges in bytes; those beyond the code's end are ignored */
export function masked(ranges: Ranges, hex: string): string {
  let text = hex.toLowerCase();
  for (const { start, length } of ranges) {
    const [from, to] = [2 + start * 2, 2 + (start + length) * 2];
    if (to <= text.length) text = text.slice(0, from) + "0".repeat(length * 2) + text.slice(to);
  }
  return text;
}
