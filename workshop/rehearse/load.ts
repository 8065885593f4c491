/** The clients: each repeats one way of using the service, and writes down what was answered. */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type JsonRpcProvider, type TransactionResponse, Wallet } from "ethers";
import { listedAssets } from "../../api/data/listing.ts";
import { createKeys } from "../../api/keys/keys.ts";
import type { Database } from "../../database/open.ts";
import { localAccounts } from "../../devnet/accounts.ts";
import { backfillLocalMarket } from "../../devnet/market/sources.ts";
import { type Answer, APPLICANT, answerOf } from "../../test/support/http.ts";
import { buyerWith } from "../../test/support/payments.ts";
import { BY_EIP3009 } from "../../test/support/x402.ts";
import { createLedger, type Ledger } from "./audit.ts";
import { type Flow, measure, type Sample } from "./samples.ts";
import type { Topology } from "./topology.ts";

const READERS = 3;
const WRITERS = 2;
const BUYERS = 2;
const READ_PAUSE_MS = 40;
const WRITE_PAUSE_MS = 250;
const BUY_PAUSE_MS = 300;
const CHECKPOINT_PAUSE_MS = 1_000;

const ANSWER_WITHIN_MS = 15_000;
const RETRY_MS = 400;
/** Nobody repeats a request for longer. */
const GIVE_UP_MS = 90_000;
const CONFIRM_WITHIN_MS = 30_000;
/** One purchase in so many becomes a trade on the chain. */
const TRADE_EVERY = 3;

interface Client {
  /** Of the service. */
  readonly url: string;
  /** An API key. */
  readonly key: string;
  readonly provider: JsonRpcProvider;
  readonly samples: Sample[];
  readonly ledger: Ledger;
  /** What all of them buy, but for the amount. */
  readonly trade: Readonly<Record<string, unknown>>;
}

export type Load = Awaited<ReturnType<typeof startLoad>>;

export async function startLoad(topology: Topology, db: Database, say: (line: string) => void) {
  const { url, deployment, provider } = topology;
  const { key } = await createKeys({ db, now: Date.now, randomBytes }).create(APPLICANT, "the rehearsal");
  say("filling the market's history");
  await backfillLocalMarket(db, { deployment, provider, assets: listedAssets(deployment), now: Date.now });
  const assetKey = (wanted: string) =>
    deployment.registry.assets.find(({ symbol }) => symbol === wanted)!.assetKey;
  const client: Client = {
    url,
    key,
    provider,
    samples: [],
    ledger: createLedger(),
    trade: {
      ownerAddress: localAccounts().users[0]!.address,
      inputAssetKey: assetKey("USDL"),
      outputAssetKey: assetKey("AAPLx"),
      policyId: "STRICT_LIVE",
      maxSlippageBps: 50,
    },
  };
  return { samples: client.samples, ledger: client.ledger, ...startClients(client) };
}

function startClients(client: Client) {
  let isOver = false;
  let isPaused = false;
  const writing = new Set<Promise<void>>();
  const repeat = async (pauseMs: number, work: () => Promise<void>) => {
    while (!isOver) {
      // What fails is a sample already; the next round begins anew.
      await work().catch(() => {});
      await sleep(pauseMs);
    }
  };
  const repeatWrite = (pauseMs: number, work: () => Promise<void>) =>
    repeat(pauseMs, async () => {
      if (isPaused) return;
      const round = work().catch(() => {});
      writing.add(round);
      await round;
      writing.delete(round);
    });
  const buyers = localAccounts()
    .users.slice(1, 1 + BUYERS)
    .map(({ privateKey }) => buyerWith(new Wallet(privateKey, client.provider), BY_EIP3009));
  const all = [
    ...Array.from({ length: READERS }, () => repeat(READ_PAUSE_MS, () => readFigures(client))),
    repeat(CHECKPOINT_PAUSE_MS, () => readCheckpoint(client)),
    ...Array.from({ length: WRITERS }, () => repeatWrite(WRITE_PAUSE_MS, () => makeJob(client))),
    ...buyers.map((buyer) => repeatWrite(BUY_PAUSE_MS, () => buy(client, buyer))),
  ];
  return {
    /** Lets what writes come to its end, and begins nothing that does. Reads go on. */
    async pause() {
      isPaused = true;
      await Promise.all(writing);
    },
    resume() {
      isPaused = false;
    },
    async [Symbol.asyncDispose]() {
      isOver = true;
      await Promise.all(all);
    },
  };
}

/** @throws TypeError where no answer comes, and DOMException where none comes in time */
async function ask({ url }: Client, path: string, init: RequestInit = {}): Promise<Answer> {
  const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
  return answerOf(await fetch(new URL(path, url), { ...init, signal }));
}

/** @param headers who asks, or what pays */
const post = (client: Client, path: string, headers: Record<string, string>, body: unknown) =>
  ask(client, path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Repeats a request until the answer has one of these statuses. @throws Error where it never has */
async function insist(
  { samples }: Client,
  flow: Flow,
  statuses: readonly number[],
  request: () => Promise<Answer>,
): Promise<Answer> {
  const until = performance.now() + GIVE_UP_MS;
  while (performance.now() < until) {
    let answer: Answer | undefined;
    await measure(samples, flow, async () => {
      answer = await request();
      return statuses.includes(answer.status) ? null : String(answer.status);
    });
    if (answer !== undefined && statuses.includes(answer.status)) return answer;
    await sleep(RETRY_MS);
  }
  throw new Error(`no answer of ${statuses.join(" or ")} in ${GIVE_UP_MS / 1_000} s`);
}

/** Each time other days, so that caches help as little as they do in earnest. */
const READS: readonly ((turn: number) => string)[] = [
  (turn) => `/api/market-overview?days=${1 + (turn % 365)}`,
  (turn) => `/api/premium/history?symbol=AAPLx&days=${1 + (turn % 30)}`,
  (turn) => `/api/basis/history?underlying=AAPL&days=${1 + (turn % 30)}`,
  () => "/v1/assets",
];
let turns = 0;

async function readFigures(client: Client): Promise<void> {
  const turn = turns++;
  const path = READS[turn % READS.length]!(turn);
  await measure(client.samples, "reads", async () => {
    const { status } = await ask(client, path, { headers: { "x-api-key": client.key } });
    return status === 200 ? null : String(status);
  });
}

async function readCheckpoint(client: Client): Promise<void> {
  const answer = await ask(client, "/log/checkpoint");
  if (answer.status === 200) client.ledger.checkpoints.add(answer.text);
}

/** Under one name until it is acknowledged, then once more: it has to be the same. */
async function makeJob(client: Client): Promise<void> {
  const { ledger, key, trade } = client;
  const name = `rehearsal-${randomBytes(9).toString("hex")}`;
  const body = { clientRequestId: name, amountInRaw: "250000000", ...trade };
  const request = () => post(client, "/v1/jobs", { "x-api-key": key }, body);
  for (let answers = 0; answers < 2; answers++) {
    const answer = await insist(client, "jobs", [200, 201], request);
    const { jobId, reports } = answer.body;
    ledger.jobs.push({ name, jobId });
    ledger.reports.push({ ...reports[0], jobId });
  }
}

let purchases = 0;

/** A report, by one payment that is sent until the report is there; then a certificate, and now and then the trade. */
async function buy(client: Client, buyer: ReturnType<typeof buyerWith>): Promise<void> {
  const { ledger, trade } = client;
  const number = purchases++;
  // Each purchase of another amount: the same again would be answered from the first.
  const body = { amountInRaw: String(250_000_000 + number), ...trade };
  const request = (headers: Record<string, string>) => post(client, "/a2mcp/verify", headers, body);
  const challenge = await insist(client, "purchases", [402], () => request({}));
  const payment = await buyer.sign(challenge);
  const paid = await insist(client, "purchases", [200], () => request({ "payment-signature": payment }));
  const { jobId, jobToken } = paid.body;
  ledger.purchases.push(jobId);
  ledger.reports.push(paid.body);

  const certified = await insist(client, "certificates", [200, 429], () =>
    post(client, `/v1/jobs/${jobId}/prepare-execution`, bearer(jobToken), {}),
  );
  // A call whose answer was lost leaves one of two; who has used both gives up.
  if (certified.status === 429) return;
  ledger.reports.push(certified.body.report);
  if (number % TRADE_EVERY === 0) await carryOut(client, jobId, jobToken, certified.body.execution);
}

/** As prepare-execution gives it: calls of the owner's wallet. */
interface Execution {
  readonly approval: { readonly calls: readonly Call[] };
  readonly guardCall: Call;
}

interface Call {
  readonly to: string;
  readonly data: string;
}

/** They are all of one account: each takes the nonce after the one before. */
let lastTrade: Promise<unknown> = Promise.resolve();

async function carryOut(client: Client, jobId: string, token: string, execution: Execution): Promise<void> {
  const { samples, ledger, provider } = client;
  const sent = lastTrade.then(() => sendTrade(provider, execution));
  lastTrade = sent.catch(() => {});
  const { hash } = await sent;
  await insist(client, "submissions", [200, 201], () =>
    post(client, `/v1/jobs/${jobId}/submissions`, bearer(token), { transactionHash: hash }),
  );
  const trade = { isConfirmed: false };
  ledger.trades.set(hash, trade);
  await measure(samples, "confirmations", async () => {
    const until = performance.now() + CONFIRM_WITHIN_MS;
    let state = "";
    for (; performance.now() < until; await sleep(RETRY_MS)) {
      const answer = await ask(client, `/v1/jobs/${jobId}`, { headers: bearer(token) }).catch(() => null);
      state = answer?.body?.executions?.[0]?.state ?? state;
      trade.isConfirmed = state === "confirmed";
      if (trade.isConfirmed) return null;
    }
    return `still ${state}`;
  });
}

async function sendTrade(
  provider: JsonRpcProvider,
  { approval, guardCall }: Execution,
): Promise<TransactionResponse> {
  const owner = new Wallet(localAccounts().users[0]!.privateKey, provider);
  for (const { to, data } of approval.calls) await (await owner.sendTransaction({ to, data })).wait();
  const { to, data } = guardCall;
  const sent = await owner.sendTransaction({ to, data, gasLimit: 1_000_000 });
  // One that reverts is reported by the service.
  await sent.wait().catch(() => null);
  return sent;
}
