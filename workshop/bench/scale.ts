/**
 * What a request costs where one, two or three api processes stand behind the balancer: milliseconds of processor of each part
 * beside the answers a second, since this machine's cores are shared by all parts, the chain and the clients. And what the
 * costs say that these cores can do, to be held against what they did: docs/operations.md computes with them.
 */
import { randomBytes } from "node:crypto";
import { availableParallelism } from "node:os";
import { Wallet } from "ethers";
import { createKeys } from "../../api/keys/keys.ts";
import { openDatabase } from "../../database/open.ts";
import { localAccounts } from "../../devnet/accounts.ts";
import { backfillLocalMarket } from "../../devnet/market/sources.ts";
import { BY_EIP3009, buyerWith } from "../../test/support/payments.ts";
import { type Asker, createAsker } from "../rehearse/load/ask.ts";
import { findPrograms } from "../rehearse/shape/packages.ts";
import type { Part } from "../rehearse/shape/part.ts";
import { type Shape, startShape } from "../rehearse/shape/shape.ts";
import { marketOf, policyAt } from "../rehearse/whole/world.ts";
import { processorOf } from "./measure.ts";

const CLIENTS = 16;
const LIMIT = 1;

interface Work {
  readonly title: string;
  readonly requests: number;
  /** @returns whether it was answered as it should be */
  one(n: number): Promise<boolean>;
}

export async function bench(): Promise<void> {
  const shape = await startShape(findPrograms(), { say: (line) => console.error(line), keepsLogs: false });
  const db = openDatabase(shape.postgres.primary.url("assay"));
  try {
    await backfillLocalMarket(db, marketOf(shape));
    const keys = createKeys({ db, now: Date.now, randomBytes });
    const newKey = () =>
      keys.create({ name: "bench", email: "bench@example.org", purpose: "bench" }, "bench");
    const [plenty, little] = [await newKey(), await newKey()];
    await keys.setLimit(little.record.id, LIMIT, "bench");
    const ask = createAsker(shape.url);
    const works = worksOf(shape, ask, { plenty: plenty.key, little: little.key });
    console.log(
      `| requests | api processes | a second | ${NAMES.join(" | ")} | all | and of the chain and the clients | by the costs a second |`,
    );
    console.log(`|---|---|---|${NAMES.map(() => "---|").join("")}---|---|---|`);
    for (const count of [3, 2, 1]) {
      if (count < 3) await shape.api[count]!.end();
      await measureAll(shape, works, count);
    }
    ask.close();
  } finally {
    await db.destroy();
    await shape.stop();
  }
}

/** Of a hundred requests of the mix, by the order of the works. */
const MIX = [90, 5, 4, 1] as const;

/** Each kind by itself, and then all of them mixed, beside the sum of its parts. */
async function measureAll(shape: Shape, works: readonly Work[], count: number): Promise<void> {
  let expected = 0;
  for (const [index, work] of works.entries()) {
    const { row, cost } = await measured(shape, work, count);
    console.log(row);
    expected += (cost * (MIX[index] ?? 0)) / 100;
  }
  const kinds = MIX.flatMap((share, index) => Array.from({ length: share }, () => works[index]!));
  const mixed: Work = {
    title: `of a hundred ${MIX.join(", ")} of these`,
    requests: 2_000,
    // In an order in which the rare ones are spread.
    one: (n) => kinds[(n * 37) % kinds.length]!.one(n),
  };
  const { row, cost } = await measured(shape, mixed, count);
  console.log(row);
  console.error(
    `${count} api processes: the mix by its parts ${expected.toFixed(2)} ms, measured ${cost.toFixed(2)} ms`,
  );
}

function worksOf(
  shape: Shape,
  ask: Asker,
  keys: { readonly plenty: string; readonly little: string },
): Work[] {
  const key = (symbol: string) =>
    shape.deployment.registry.assets.find((asset) => asset.symbol === symbol)?.assetKey;
  const body = {
    ownerAddress: localAccounts().users[0]!.address,
    inputAssetKey: key("USDL"),
    outputAssetKey: key("AAPLx"),
    policyId: policyAt(Math.floor(Date.now() / 1_000)),
    maxSlippageBps: 50,
  };
  // Each of another amount, so that no two share a quote or a purchase.
  let traded = 0;
  const trade = () => ({ ...body, amountInRaw: String(250_000_000 + ++traded) });
  const read = async (path: string) => (await ask(path, { key: keys.plenty })).status === 200;
  const buyers = localAccounts()
    .users.slice(1)
    .map(({ privateKey }) => buyerWith(new Wallet(privateKey, shape.provider), BY_EIP3009));
  return [
    {
      title: "a series, cached",
      requests: 6_000,
      one: () => read("/api/premium/history?symbol=AAPLx&days=7"),
    },
    {
      title: "a request over its limit",
      requests: 6_000,
      one: async () => (await ask("/v1/assets", { key: keys.little })).status === 429,
    },
    {
      title: "a new job",
      requests: 600,
      one: async () => {
        const json = { clientRequestId: randomBytes(12).toString("hex"), ...trade() };
        return (await ask("/v1/jobs?proofs=omit", { key: keys.plenty, json })).status === 201;
      },
    },
    {
      title: "a purchase: 402, payment, report",
      requests: 120,
      one: async (n) => {
        const json = trade();
        const challenge = await ask("/a2mcp/verify", { json });
        const payment = await buyers[n % buyers.length]!.sign(challenge);
        return (await ask("/a2mcp/verify?proofs=omit", { json, payment })).status === 200;
      },
    },
  ];
}

const NAMES = ["api", "workers", "PostgreSQL", "PgBouncer", "Redis", "HAProxy"] as const;

const partsOf = ({
  api,
  workers,
  postgres,
  pgbouncer,
  redis,
  haproxy,
}: Shape): readonly (readonly Part[])[] => [
  api,
  workers,
  Object.values(postgres),
  [pgbouncer],
  [redis],
  [haproxy],
];

/** @returns a row, and the milliseconds of processor that a request costs all parts of the shape */
async function measured(
  shape: Shape,
  work: Work,
  count: number,
): Promise<{ readonly row: string; readonly cost: number }> {
  // As often once before, so that each process has compiled what it runs.
  await drive(work);
  const spent = () => [...partsOf(shape), [shape.chain]].map(secondsOf);
  const [before, own] = [spent(), process.cpuUsage()];
  const from = performance.now();
  await drive(work);
  const took = (performance.now() - from) / 1_000;
  const { user, system } = process.cpuUsage(own);
  const costs = spent().map((seconds, n) => ((seconds - before[n]!) * 1_000) / work.requests);
  const ofChain = costs.pop() ?? 0;
  const all = costs.reduce((sum, cost) => sum + cost, 0);
  const others = ofChain + (user + system) / 1_000 / work.requests;
  const cells = [...costs, all, others].map((cost) => `${cost.toFixed(2)} ms`);
  const possible = (availableParallelism() * 1_000) / (all + others);
  const cellsOf = [work.title, count, (work.requests / took).toFixed(0), ...cells, possible.toFixed(0)];
  return { row: `| ${cellsOf.join(" | ")} |`, cost: all };
}

async function drive({ title, requests, one }: Work): Promise<void> {
  let next = 0;
  let others = 0;
  const client = async () => {
    while (next < requests) if (!(await one(next++))) others++;
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  // The first of a limited key are admitted.
  if (others > Math.max(LIMIT, requests / 100))
    throw new Error(`${title}: ${others} of ${requests} were answered otherwise`);
}

/** Seconds of processor of programs and of what they made, ended children included. */
const secondsOf = (parts: readonly Part[]): number =>
  parts.flatMap(({ pids }) => pids).reduce((sum, pid) => sum + processorOf(pid), 0) / 1_000;
