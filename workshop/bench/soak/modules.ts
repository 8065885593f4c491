/** Loads libraries and rooms one after the other and prints what each adds to memory; what two use counts for the first. */
const GROUPS: readonly (readonly [string, ...(() => Promise<unknown>)[]])[] = [
  ["`zod`", () => import("zod")],
  ["`ethers`", () => import("ethers")],
  ["`express`", () => import("express")],
  ["`kysely`, `better-sqlite3`", () => import("kysely"), () => import("better-sqlite3")],
  ["`@modelcontextprotocol/server`", () => import("@modelcontextprotocol/server")],
  ["room `attestor`", () => import("../../../attestor/attest.ts")],
  ["room `database`", () => import("../../../database/open.ts")],
  ["room `chain`", () => import("../../../chain/chain.ts")],
  ["room `market`", () => import("../../../market/collect/collect.ts")],
  ["room `api`", () => import("../../../api/server.ts")],
  [
    "room `devnet`",
    () => import("../../../devnet/service.ts"),
    () => import("../../../devnet/facilitator.ts"),
  ],
];

interface Size {
  readonly heap: number;
  readonly outside: number;
  readonly process: number;
}

function size(): Size {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heap: heapUsed, outside: external, process: rss };
}

const inMegabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MB`;

function print(name: string, { heap, outside, process }: Size): void {
  console.log([name, ...[heap, outside, process].map(inMegabytes)].join("\t"));
}

let before = size();
print("Node.js, its type stripper", before);
for (const [name, ...imports] of GROUPS) {
  for (const load of imports) await load();
  const after = size();
  print(name, {
    heap: after.heap - before.heap,
    outside: after.outside - before.outside,
    process: after.process - before.process,
  });
  before = after;
}
print("all", before);
process.exit(0);
