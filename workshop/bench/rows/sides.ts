/** The service on a database of few rows and on one of many, each a process of its own, on the same chain and server. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Contract, type JsonRpcProvider, Wallet } from "ethers";
import { environment } from "../../../api/settings/environment.ts";
import { migrate } from "../../../database/migrate.ts";
import { type Database, openDatabase } from "../../../database/open.ts";
import { localAccounts } from "../../../devnet/accounts.ts";
import { type LocalFile, readLocalFile } from "../../../devnet/localFile.ts";
import { BY_EIP3009, buyerWith } from "../../../test/support/payments.ts";
import { type Asked, type Asker, createAsker } from "../../rehearse/load/ask.ts";
import { policyAt } from "../../rehearse/load/world.ts";
import { tradeOf } from "../localChain.ts";
import { BASE } from "../log/deps.ts";
import type { Amounts, Templates } from "./amounts.ts";
import { fillLog, fillRows } from "./fill.ts";

const CONFIRMED_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 200;

export interface Side {
  readonly title: string;
  readonly amounts: Amounts;
  readonly db: Database;
  readonly url: string;
  readonly local: LocalFile;
  readonly ask: Asker;
  readonly buyer: ReturnType<typeof buyerWith>;
  /** Of a trade that nobody asked for before. */
  body(): Record<string, unknown>;
  stop(): Promise<void>;
}

export interface Bought {
  readonly jobId: string;
  readonly token: string;
}

interface Given {
  readonly title: string;
  readonly amounts: Amounts;
  /** Of the local chain. */
  readonly folder: string;
  readonly rpcUrl: string;
  readonly provider: JsonRpcProvider;
  readonly databaseUrl: string;
  say(line: string): void;
}

/** Fills a database and starts the service on it. */
export async function openSide(given: Given): Promise<Side> {
  const { title, amounts, databaseUrl, say } = given;
  const db = openDatabase(databaseUrl);
  await migrate(db);
  await fillLog(db, amounts);
  const first = await startSide({ ...given, db });
  const templates = await makeTemplates(first, given.provider);
  await first.stop();
  say(`${title}: filling`);
  await fillRows(db, databaseUrl, {
    ...{ amounts, templates, say, payer: first.buyer.wallet.address },
    now: Math.floor(Date.now() / 1_000),
  });
  return startSide({ ...given, db });
}

async function startSide(given: Given & { readonly db: Database }): Promise<Side> {
  const { title, amounts, db, folder } = given;
  const dataDir = join(folder, title);
  await mkdir(dataDir, { recursive: true });
  const child = fork(join(import.meta.dirname, "../../../devnet/api.ts"), [], {
    env: {
      ...environment(),
      DATA_DIR: dataDir,
      DEPLOYMENT_FILE: join(folder, "chain/deployment.json"),
      DATABASE_URL: given.databaseUrl,
      RPC_URL: given.rpcUrl,
      PORT: "0",
      LOG_ORIGIN: BASE,
      PAYMENT_PHASE: "paid",
      KEY_LIMIT_PER_MINUTE: "1000000",
      ADDRESS_LIMIT_PER_MINUTE: "1000000",
    },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const url = await urlOf(child);
  const local = await readLocalFile(dataDir);
  if (local === null) throw new Error(`${title}: no local.json`);
  const ask = createAsker(url);
  const wallet = new Wallet(localAccounts().users[1]!.privateKey, given.provider);
  return {
    ...{ title, amounts, db, url, local, ask },
    buyer: buyerWith(wallet, BY_EIP3009),
    body: () => bodyOf(local),
    async stop() {
      ask.close();
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

async function urlOf(child: ChildProcess): Promise<string> {
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`the service ended with ${code}`);
  });
  const [{ url }] = (await Promise.race([once(child, "message"), ended])) as [{ url: string }];
  return url;
}

let asked = 0;

const bodyOf = (local: LocalFile): Record<string, unknown> => ({
  ...tradeOf(local, ++asked),
  ownerAddress: localAccounts().users[0]!.address,
  policyId: policyAt(Math.floor(Date.now() / 1_000)),
});

/** A 402 for a trade, and the payment that it asks for. */
export async function challenged(side: Side): Promise<{ json: Record<string, unknown>; payment: string }> {
  const json = side.body();
  const challenge = await side.ask("/a2mcp/verify", { json });
  return { json, payment: await side.buyer.sign(challenge) };
}

/** @throws Error where it was answered otherwise */
export function boughtIn({ status, body, text }: Asked): Bought {
  if (status !== 200) throw new Error(`a purchase was answered ${status}: ${text.slice(0, 300)}`);
  return { jobId: body.jobId, token: body.jobToken };
}

const buy = async (side: Side): Promise<Bought> =>
  boughtIn(await side.ask("/a2mcp/verify", await challenged(side)));

/** One job that was bought, and one that was also carried out: what all others are made from. */
async function makeTemplates(side: Side, provider: JsonRpcProvider): Promise<Templates> {
  const [bought, traded] = [await buy(side), await buy(side)];
  const prepared = await side.ask(`/v1/jobs/${traded.jobId}/prepare-execution`, {
    token: traded.token,
    json: {},
  });
  const { approval, guardCall } = prepared.body.execution ?? {};
  if (guardCall === undefined) throw new Error(`nothing was prepared: ${prepared.text.slice(0, 300)}`);
  const owner = new Wallet(localAccounts().users[0]!.privateKey, provider);
  const dollar = new Contract(approval.token, ["function approve(address,uint256) returns (bool)"], owner);
  await (await dollar.getFunction("approve").send(approval.spender, approval.amount)).wait();
  const sent = await owner.sendTransaction({ to: guardCall.to, data: guardCall.data, gasLimit: 1_000_000 });
  await sent.wait();
  await submitted(side, traded, sent.hash);
  const { id } = await side.db
    .selectFrom("api_keys")
    .select("id")
    .orderBy("created_at")
    .executeTakeFirstOrThrow();
  return { bought: bought.jobId, traded: traded.jobId, keyId: id };
}

async function submitted({ ask }: Side, { jobId, token }: Bought, transactionHash: string): Promise<void> {
  await ask(`/v1/jobs/${jobId}/submissions`, { token, json: { transactionHash } });
  const until = performance.now() + CONFIRMED_WITHIN_MS;
  while (performance.now() < until) {
    const { body } = await ask(`/v1/jobs/${jobId}`, { token });
    if (body?.executions?.[0]?.state === "confirmed") return;
    await sleep(LOOK_EVERY_MS);
  }
  throw new Error("the trade was not confirmed");
}
