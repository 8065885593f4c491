/**
 * What a request costs where one, two or three api processes stand behind the balancer: milliseconds of processor of each part
 * beside the answers a second, since this machine's cores are shared by all parts, the chain and the clients. And what the
 * costs say that these cores can do, to be held against what they did: docs/operations.md computes with them.
 */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { Wallet } from "ethers";
import { createKeys } from "../api/keys/keys.ts";
import { openDatabase } from "../database/open.ts";
import { localAccounts } from "../devnet/accounts.ts";
import { backfillLocalMarket } from "../devnet/market/sources.ts";
import { BY_EIP3009, buyerWith } from "../test/support/payments.ts";
import { type Asker, createAsker } from "../tools/rehearse/load/ask.ts";
import { findPrograms } from "../tools/rehearse/shape/packages.ts";
import type { Part } from "../tools/rehearse/shape/part.ts";
import { type Shape, startShape } from "../tools/rehearse/shape/shape.ts";
import { marketOf, policyAt } from "../tools/rehearse/whole/world.ts";

const CLIENTS = 16;
const WARM_REQUESTS = 200;
/** Of /proc, on every Linux that Node.js runs on. */
const TICKS_A_SECOND = 100;
const LIMIT = 1;

interface Work {
  readonly title: string;
  readonly requests: number;
  /** @returns the status */
  one(n: number): Promise<number>;
  readonly status: number;
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
      for (const work of works) console.log(await measured(shape, work, count));
    }
    ask.close();
  } finally {
    await db.destroy();
    await shape.stop();
  }
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
    amountInRaw: "250000000",
    policyId: policyAt(Math.floor(Date.now() / 1_000)),
    maxSlippageBps: 50,
  };
  const read = async (path: string) => (await ask(path, { key: keys.plenty })).status;
  const buyers = localAccounts()
    .users.slice(1)
    .map(({ privateKey }) => buyerWith(new Wallet(privateKey, shape.provider), BY_EIP3009));
  return [
    {
      title: "a series, cached",
      requests: 2_000,
      status: 200,
      one: () => read("/api/premium/history?symbol=AAPLx&days=7"),
    },
    {
      title: "a request over its limit",
      requests: 2_000,
      status: 429,
      one: async () => (await ask("/v1/assets", { key: keys.little })).status,
    },
    {
      title: "a new job",
      requests: 300,
      status: 201,
      one: async () => {
        const clientRequestId = randomBytes(12).toString("hex");
        return (await ask("/v1/jobs?proofs=omit", { key: keys.plenty, json: { clientRequestId, ...body } }))
          .status;
      },
    },
    {
      title: "a purchase: 402, payment, report",
      requests: 120,
      status: 200,
      one: async (n) => {
        // Each for another amount: the same again would be answered from the first.
        const json = { ...body, amountInRaw: String(BigInt(body.amountInRaw) + BigInt(++bought)) };
        const challenge = await ask("/a2mcp/verify", { json });
        const payment = await buyers[n % buyers.length]!.sign(challenge);
        return (await ask("/a2mcp/verify?proofs=omit", { json, payment })).status;
      },
    },
  ];
}

let bought = 0;

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

/** @returns a row: milliseconds of processor a request, by part */
async function measured(shape: Shape, work: Work, count: number): Promise<string> {
  await drive({ ...work, requests: Math.min(WARM_REQUESTS, work.requests) });
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
  return `| ${[work.title, count, (work.requests / took).toFixed(0), ...cells, possible.toFixed(0)].join(" | ")} |`;
}

async function drive({ title, requests, one, status }: Work): Promise<void> {
  let next = 0;
  let others = 0;
  const client = async () => {
    while (next < requests) if ((await one(next++)) !== status) others++;
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  // The first of a limited key are admitted.
  if (others > Math.max(LIMIT, requests / 100))
    throw new Error(`${title}: ${others} of ${requests} were answered otherwise`);
}

/** Seconds of processor of programs and of what they made, ended children included. */
function secondsOf(parts: readonly Part[]): number {
  const ticks = parts
    .flatMap(({ pids }) => pids)
    .map((pid) => {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      // Behind the name in brackets: utime, stime, cutime and cstime.
      return stat
        .slice(stat.lastIndexOf(")") + 2)
        .split(" ")
        .slice(11, 15)
        .map(Number)
        .reduce((a, b) => a + b, 0);
    });
  return ticks.reduce((sum, each) => sum + each, 0) / TICKS_A_SECOND;
}
