/**
 * What commands and the local world need of the compiled contracts, as it is committed: `contracts/compiled/<name>.json`
 * each, and `build.json` with the compiler, its settings and the hash of every source. So a start compiles nothing.
 */
import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { ROOT } from "./buildOnce.ts";
import { sourceHashes } from "./sources.mjs";

/** Where it is committed. */
export const COMPILED = "contracts/compiled";

/** The folders of what the product deploys and reads. */
export const CONTRACT_FOLDERS = ["contracts", "chain/contracts", "devnet/contracts"];

interface Artifact {
  readonly abi: readonly unknown[];
  readonly bytecode: string;
  readonly deployedBytecode: string;
  readonly immutableReferences?: Readonly<Record<string, readonly { start: number; length: number }[]>>;
  readonly buildInfoId: string;
}

interface BuildInfo {
  readonly solcLongVersion: string;
  readonly input: { readonly settings: Readonly<Record<string, unknown>> };
}

/** Texts by file name. @param artifacts where Hardhat left what it compiled */
export function compiledFiles(artifacts = join(ROOT, "artifacts")): Map<string, string> {
  const read = (path: string) => JSON.parse(readFileSync(join(artifacts, path), "utf8"));
  const sources = CONTRACT_FOLDERS.flatMap((folder) => globSync(`${folder}/**/*.sol`, { cwd: ROOT })).sort();
  const folders = [...sources, "@openzeppelin/contracts/access/manager/AccessManager.sol"];
  const files = new Map<string, string>();
  for (const path of folders.flatMap((folder) => globSync(`${folder}/*.json`, { cwd: artifacts })).sort()) {
    const artifact = read(path) as Artifact;
    // An interface: whoever calls a contract has the contract's own.
    if (artifact.bytecode === "0x") continue;
    const name = basename(path);
    if (files.has(name)) throw new Error(`Two contracts have the name ${name}: ${path} is the second.`);
    const names = variableNames(read(`build-info/${artifact.buildInfoId}.output.json`));
    files.set(name, text(recordOf(dirname(path), artifact, names)));
  }
  const guard = read("contracts/TradeGuard.sol/TradeGuard.json") as Artifact;
  const { solcLongVersion, input } = read(`build-info/${guard.buildInfoId}.json`) as BuildInfo;
  const { outputSelection: _, ...settings } = input.settings;
  const build = { compiler: solcLongVersion, settings, sources: sourceHashes(ROOT, sources) };
  return files.set("build.json", text(build));
}

const text = (value: unknown) => `${JSON.stringify(value, null, 1)}\n`;

function recordOf(source: string, artifact: Artifact, names: ReadonlyMap<string, string>) {
  const { abi, bytecode, deployedBytecode, immutableReferences = {} } = artifact;
  const immutables = Object.entries(immutableReferences)
    .map(([id, ranges]) => ({ name: names.get(id) ?? id, ranges }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return { source, abi, bytecode, deployedBytecode, immutables };
}

/** The compiler tells immutable values by the numbers of their declarations in its syntax tree. */
function variableNames(node: unknown, names = new Map<string, string>()): Map<string, string> {
  if (typeof node !== "object" || node === null) return names;
  if ("nodeType" in node && node.nodeType === "VariableDeclaration" && "id" in node && "name" in node)
    names.set(String(node.id), String(node.name));
  for (const child of Object.values(node)) variableNames(child, names);
  return names;
}
