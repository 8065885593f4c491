/** The compiled contracts as they are committed, and whether they are those of the sources that lie here. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { Refused } from "../errors.ts";

/** The contracts on the chain after a deployment, which are compared with the compiled ones. */
export const PARTS = {
  manager: "@openzeppelin/contracts/access/manager/AccessManager.sol:AccessManager",
  guard: "contracts/TradeGuard.sol:TradeGuard",
  executor: "contracts/RouteExecutor.sol:RouteExecutor",
} as const;
export type Part = keyof typeof PARTS;

const Hex = z.string().regex(/^0x[0-9a-f]*$/);
const Range = z.strictObject({ start: z.int(), length: z.int() });
type Ranges = readonly z.infer<typeof Range>[];

/** The constructor writes the immutable values into the code: byte offsets of the runtime code, by the name in the source. */
const CompiledContract = z.object({
  bytecode: Hex,
  deployedBytecode: Hex,
  immutables: z.array(z.strictObject({ name: z.string(), ranges: z.array(Range) })),
});
export type CompiledContract = z.infer<typeof CompiledContract>;

const BuildRecord = z.strictObject({
  compiler: z.string(),
  settings: z.record(z.string(), z.unknown()),
  /** The SHA-256 of each, by its path. */
  sources: z.record(z.string(), z.string()),
});

export interface Build extends Readonly<Record<Part, CompiledContract>> {
  /** Creates the others in its constructor. */
  readonly deployment: CompiledContract;
  readonly compiler: { readonly version: string; readonly settings: Record<string, unknown> };
}

/**
 * @param root of the repository
 * @param folder where `npm run build` leaves what it compiled
 * @throws Refused when nothing is compiled, or something else than what lies here
 */
export async function readBuild(root: string, folder = join(root, "contracts/compiled")): Promise<Build> {
  const read = <T>(name: string, schema: z.ZodType<T>): Promise<T> =>
    readFile(join(folder, `${name}.json`), "utf8").then(
      (text) => schema.parse(JSON.parse(text)),
      () => {
        throw new Refused("The contracts are not compiled: run npm run build first.");
      },
    );
  const { compiler, settings, sources } = await read("build", BuildRecord);
  for (const [path, hash] of Object.entries(sources)) {
    // The local world's own contracts are no matter here.
    if (!path.startsWith("contracts/")) continue;
    const source = await readFile(join(root, path)).catch(() => "");
    if (createHash("sha256").update(source).digest("hex") !== hash)
      throw new Refused(`${path} changed since it was compiled: run npm run build first.`);
  }
  const [deployment, manager, guard, executor] = await Promise.all([
    read("GuardDeployment", CompiledContract),
    read("AccessManager", CompiledContract),
    read("TradeGuard", CompiledContract),
    read("RouteExecutor", CompiledContract),
  ]);
  return { deployment, manager, guard, executor, compiler: { version: compiler, settings } };
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
