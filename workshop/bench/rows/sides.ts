/** The service on a database of few rows and on one of many, each a process of its own, on the same chain and server. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type JsonRpcProvider, Wallet } from "ethers";
import { migrate } from "../../../database/migrate.ts";
import { type Database, openDatabase } from "../../../database/open.ts";
import { localAccounts } from "../../../devnet/accounts.ts";
import { type LocalFile, readLocalFile } from "../../../devnet/localFile.ts";
import { buyerWith } from "../../../test/support/payments.ts";
import { BY_EIP3009 } from "../../../test/support/x402.ts";
import { type Asked, type Asker, createAsker } from "../../rehearse/load/ask.ts";
import { policyAt, sendTrade } from "../../rehearse/load/world.ts";
import { forkLocal, tradeOf, UNLIMITED } from "../localChain.ts";
import { BASE } from "../log/deps.ts";
import type { Amounts, Templates } from "./amounts.ts";
import { fillLog, fillRows } from "./fill.ts";

const CONFIRMED_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 200;

export interface Side {
  readonly title: string;
  readonly amounts: Amounts;
  readonly db: Database;
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
  const service = await forkLocal("api", {
    DATA_DIR: dataDir,
    DEPLOYMENT_FILE: join(folder, "chain/deployment.json"),
    DATABASE_URL: given.databaseUrl,
    RPC_URL: given.rpcUrl,
    PORT: "0",
    LOG_ORIGIN: BASE,
    PAYMENT_PHASE: "paid",
    ...UNLIMITED,
  });
  const local = await readLocalFile(dataDir);
  if (local === null) throw new Error(`${title}: no local.json`);
  const ask = createAsker(service.url);
  const wallet = new Wallet(localAccounts().users[1]!.privateKey, given.provider);
  return {
    ...{ title, amounts, db, local, ask },
    buyer: buyerWith(wallet, BY_EIP3009),
    body: () => bodyOf(local),
    async stop() {
      ask.close();
      await service.stop();
    },
  };
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
  const { execution } = prepared.body;
  if (!execution?.guardCall) throw new Error(`nothing was prepared: ${prepared.text.slice(0, 300)}`);
  const sent = await sendTrade(provider, execution);
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
