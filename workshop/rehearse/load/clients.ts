/** The clients of the rehearsal: each repeats one thing and records the answers. */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Wallet } from "ethers";
import { localAccounts } from "../../../devnet/accounts.ts";
import { buyerWith } from "../../../test/support/payments.ts";
import { BY_EIP3009 } from "../../../test/support/x402.ts";
import type { Topology } from "../topology/topology.ts";
import { type Asked, type Asker, createAsker } from "./ask.ts";
import { begin, type Ledger } from "./ledger.ts";
import type { Meter } from "./meter.ts";
import { sendTrade } from "./world.ts";

const READERS = 3;
const WRITERS = 2;
const BUYERS = 2;
const READ_PAUSE_MS = 40;
const WRITE_PAUSE_MS = 250;
const BUY_PAUSE_MS = 300;
const APPLY_PAUSE_MS = 2_000;
const LOOK_PAUSE_MS = 1_000;
const RETRY_MS = 400;
const CONFIRM_WITHIN_MS = 30_000;
/** One purchase in so many becomes a trade on the chain. */
const TRADE_EVERY = 3;

export type Load = ReturnType<typeof startLoad>;

interface Setting {
  readonly topology: Pick<Topology, "url" | "deployment" | "provider">;
  readonly ask: Asker;
  readonly meter: Meter;
  readonly ledger: Ledger;
  readonly key: string;
  /** Under which a trade of the local world may be carried out at this hour. */
  readonly policyId: string;
}

/** @param key an active API key without a limit that counts */
export function startLoad(given: Omit<Setting, "ask">) {
  const ask = createAsker(() => given.topology.url);
  const setting: Setting = { ...given, ask };
  const state = { stopped: false, paused: false };
  const busy = new Set<Promise<void>>();
  const loop = (count: number, pauseMs: number, work: (n: number) => Promise<void>, isWrite: boolean) =>
    Array.from({ length: count }, async (_, n) => {
      while (!state.stopped) {
        if (!(isWrite && state.paused)) {
          const once = work(n).catch(() => {});
          if (isWrite) busy.add(once);
          await once;
          busy.delete(once);
        }
        await sleep(pauseMs);
      }
    });
  const loops = [
    ...loop(READERS, READ_PAUSE_MS, () => read(setting), false),
    ...loop(WRITERS, WRITE_PAUSE_MS, () => makeJob(setting), true),
    ...loop(BUYERS, BUY_PAUSE_MS, (n) => buy(setting, n), true),
    ...loop(1, APPLY_PAUSE_MS, () => apply(setting), true),
    ...loop(1, LOOK_PAUSE_MS, () => lookAtLog(setting), false),
  ];
  return {
    /** Lets what is under way come to its end, and begins nothing. Reads go on. */
    async pause() {
      state.paused = true;
      while (busy.size > 0) await Promise.all(busy);
    },
    resume: () => {
      state.paused = false;
    },
    async stop() {
      state.stopped = true;
      await Promise.all(loops);
      ask.close();
    },
  };
}

const PATHS: readonly (readonly [path: string, most: number])[] = [
  ["/api/market-overview?days=", 365],
  ["/api/premium/history?symbol=AAPLx&days=", 30],
  ["/api/basis/history?underlying=AAPL&days=", 30],
  ["/v1/assets?n=", 0],
];
let asked = 0;

/** Each time with other parameters, so that caches help as little as they do in earnest. */
async function read({ ask, meter, key }: Setting): Promise<void> {
  const [path, most] = PATHS[asked++ % PATHS.length]!;
  const target = most === 0 ? "/v1/assets" : `${path}${1 + (asked % most)}`;
  await meter.measure("reads", async () => faultOf(await ask(target, { key }), 200));
}

const faultOf = ({ status, outcome }: Asked, ...wanted: number[]): string | null =>
  wanted.includes(status) ? null : outcome;

const trade = ({ topology, policyId }: Setting, amountInRaw: string) => ({
  ownerAddress: localAccounts().users[0]!.address,
  inputAssetKey: assetKey(topology, "USDL"),
  outputAssetKey: assetKey(topology, "AAPLx"),
  amountInRaw,
  policyId,
  maxSlippageBps: 50,
});

function assetKey({ deployment }: Pick<Topology, "deployment">, symbol: string): string {
  const asset = deployment.registry.assets.find((each) => each.symbol === symbol);
  if (asset === undefined) throw new Error(`the local world has no ${symbol}`);
  return asset.assetKey;
}

/** Under one name until it is acknowledged, then once more: it has to be the same. */
async function makeJob(setting: Setting): Promise<void> {
  const { ask, meter, ledger, key } = setting;
  const name = `rehearsal-${randomBytes(9).toString("hex")}`;
  const known = begin(ledger.jobs, name);
  const body = { clientRequestId: name, ...trade(setting, "250000000") };
  for (let isDone = false; !isDone; )
    await meter.measure("jobs", async () => {
      const answer = await ask("/v1/jobs", { key, json: body });
      isDone = answer.status === 201 || answer.status === 200;
      if (isDone) {
        known.jobIds.add(answer.body.jobId);
        const { jobId, reports } = answer.body;
        ledger.reports.push(reportIn({ ...reports[0], jobId, log: undefined }));
      } else await sleep(RETRY_MS);
      return faultOf(answer, 200, 201);
    });
}

let bought = 0;
/** One payment at a time each, so that their nonces on the chain are in order. */
const trading: Promise<unknown>[] = [];

/** A report, by one payment that is sent until the report is there; then a certificate, and now and then the trade. */
async function buy(setting: Setting, n: number): Promise<void> {
  const { ask, meter, ledger, topology } = setting;
  const number = bought++;
  const buyer = buyerWith(
    new Wallet(localAccounts().users[1 + n]!.privateKey, topology.provider),
    BY_EIP3009,
  );
  // Each purchase for another amount: the same again would be answered from the first.
  const body = trade(setting, String(250_000_000 + number));
  let payment: string | null = null;
  let token: string | null = null;
  while (token === null)
    await meter.measure("purchases", async () => {
      if (payment === null) {
        const challenge = await ask("/a2mcp/verify", { json: body });
        if (challenge.status !== 402) {
          await sleep(RETRY_MS);
          return faultOf(challenge, 402);
        }
        payment = await buyer.sign(challenge);
      }
      const answer = await ask("/a2mcp/verify", { json: body, payment });
      const known = begin(ledger.purchases, payment);
      if (answer.status === 200) {
        token = answer.body.jobToken;
        known.jobIds.add(answer.body.jobId);
        ledger.reports.push(reportIn(answer.body));
      } else await sleep(RETRY_MS);
      return faultOf(answer, 200);
    });
  const jobId = [...begin(ledger.purchases, payment!).jobIds][0]!;
  const execution = await certificate(setting, token, jobId);
  if (execution === null || number % TRADE_EVERY !== 0) return;
  const before = trading.at(-1);
  const now = Promise.resolve(before)
    .catch(() => {})
    .then(() => carryOut(setting, { token: token!, jobId }, execution));
  trading.push(now);
  await now;
}

// biome-ignore lint/suspicious/noExplicitAny: as the service shows it
const reportIn = (report: any) => ({
  jobId: report.jobId,
  version: report.version,
  evidenceHash: report.evidenceHash,
  logged: report.log === undefined ? null : report,
});

// biome-ignore lint/suspicious/noExplicitAny: the execution as the service shows it
async function certificate({ ask, meter, ledger }: Setting, token: string, jobId: string): Promise<any> {
  // biome-ignore lint/suspicious/noExplicitAny: as above
  let execution: any;
  // A call whose answer was lost leaves one of two; who has used both gives up.
  for (let left = 20; execution === undefined && left > 0; left--)
    await meter.measure("certificates", async () => {
      const answer = await ask(`/v1/jobs/${jobId}/prepare-execution`, { token, json: {} });
      if (answer.status === 200) {
        execution = answer.body.execution;
        ledger.reports.push(reportIn(answer.body.report));
      } else if (answer.status === 429) {
        execution = null;
        return null;
      } else await sleep(RETRY_MS);
      return faultOf(answer, 200);
    });
  return execution ?? null;
}

/** @param execution as prepare-execution gave it */
async function carryOut(
  { ask, meter, ledger, topology }: Setting,
  { token, jobId }: { readonly token: string; readonly jobId: string },
  execution: Parameters<typeof sendTrade>[1],
): Promise<void> {
  const sent = await sendTrade(topology.provider, execution);
  await sent.wait().catch(() => null);
  const known = { jobId, isConfirmed: false };
  for (let isDone = false; !isDone; ) {
    const json = { transactionHash: sent.hash };
    const answer = await ask(`/v1/jobs/${jobId}/submissions`, { token, json });
    isDone = answer.status === 200 || answer.status === 201;
    if (isDone) ledger.trades.set(sent.hash, known);
    else await sleep(RETRY_MS);
  }
  await meter.measure("confirmations", async () => {
    const until = performance.now() + CONFIRM_WITHIN_MS;
    let state = "";
    while (performance.now() < until) {
      const { body } = await ask(`/v1/jobs/${jobId}`, { token });
      state = body?.executions?.[0]?.state ?? state;
      known.isConfirmed = state === "confirmed";
      if (known.isConfirmed) return null;
      await sleep(RETRY_MS);
    }
    return `still ${state}`;
  });
}

let applied = 0;

/** Each from another address, since nobody may apply often. */
async function apply({ ask, meter, ledger }: Setting): Promise<void> {
  applied++;
  const from = `127.1.${applied % 250}.${1 + (Math.floor(applied / 250) % 250)}`;
  await meter.measure("applications", async () => {
    const answer = await ask("/api/v1/keys", {
      json: { name: "a client", email: "client@example.org", purpose: "the rehearsal" },
      from,
    });
    if (answer.status === 202) ledger.applications.push(answer.body.key_id);
    return faultOf(answer, 202);
  });
}

/** What the log signed and showed to anybody it must never take back. */
async function lookAtLog({ ask, ledger }: Setting): Promise<void> {
  const answer = await ask("/log/checkpoint");
  if (answer.status === 200) ledger.checkpoints.add(answer.text);
}
