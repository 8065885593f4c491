/**
 * The paid round trip of POST /a2mcp/verify against the free one, and against the minimum of every seller. That is
 * the x402 library's own HTTP server, which sells nothing, with the same client, chain and facilitator, or its
 * functions alone behind our challenge. And where the time of a purchase goes.
 */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { x402Client } from "@x402/fetch";
import { Wallet } from "ethers";
import { intentOf } from "../../api/jobs/create.ts";
import { digestOf, newJobToken } from "../../api/jobs/ids.ts";
import { judgedOnce } from "../../api/jobs/oneShot.ts";
import { VerifyBody } from "../../api/jobs/schemas.ts";
import { addJobToken, findReport, storeJob } from "../../api/jobs/store.ts";
import { authorizationOf, keyOf } from "../../api/payments/authorization.ts";
import { createChainReader } from "../../api/payments/chainReader.ts";
import { createFacilitator } from "../../api/payments/facilitator.ts";
import { type Requirements, readPayment } from "../../api/payments/payload.ts";
import { insertIntent, markReleased, markSettled } from "../../api/payments/transitions.ts";
import type { RunningServer } from "../../api/server.ts";
import { canonicalHash } from "../../attestor/values/canonical.ts";
import { x402ClientOf } from "../../cli/agent/pay.ts";
import { localAccounts } from "../../devnet/accounts.ts";
import { createLocalFacilitator, localPayments } from "../../devnet/facilitator.ts";
import { startLibraryAlone } from "./libraryAlone.ts";
import { startOn, withLocalChain } from "./localChain.ts";
import { byClients, printRates, sideBySide, stopwatch } from "./measure.ts";
import { type Parts, partsOf } from "./parts/profile.ts";
import { inMs, print, printParts } from "./print.ts";

const ROUNDS = 9;
const PURCHASES_A_ROUND = 16;
const CLIENTS = 4;
const STEPS = 40;
const TIMEOUT_MS = 20_000;

export async function bench(): Promise<void> {
  await withLocalChain(async (folder, url) => {
    const start = async (phase: "free" | "paid") => {
      const env = { PAYMENT_PHASE: phase, DATABASE_URL: `sqlite:${join(folder, `${phase}.db`)}` };
      return (await startOn(folder, url, env, { payments: localPayments })).server;
    };
    const [free, paid] = [await start("free"), await start("paid")];
    const world = await worldOf(paid);
    await roundTrips(free, paid, world);
    await whereTheTimeGoes(paid, world);
    await free.stop();
    await paid.stop();
  });
}

type World = Awaited<ReturnType<typeof worldOf>>;

async function worldOf({ services }: RunningServer) {
  const { chainId, registry } = services.deployment;
  const dollar = registry.assets.find(({ kind }) => kind === "settlement")!;
  const stock = registry.assets.find(({ kind }) => kind === "stock")!;
  const wallet = new Wallet(localAccounts().agent.privateKey);
  let sent = 0;
  return {
    buyer: x402ClientOf(wallet, {
      network: `eip155:${chainId}`,
      asset: dollar.address,
      maxPrice: 1_000_000n,
    }),
    // Each its own amount: no two share a quote of the DEX, and none is taken for another one again.
    body: () =>
      VerifyBody.parse({
        ownerAddress: wallet.address,
        inputAssetKey: dollar.assetKey,
        outputAssetKey: stock.assetKey,
        amountInRaw: String(250_000_000 + ++sent),
      }),
  };
}

type Challenge = Parameters<x402Client["createPaymentPayload"]>[0];

async function ask(url: string, body: object, signature?: string): Promise<Response> {
  const answer = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(signature === undefined ? {} : { "payment-signature": signature }),
    },
    body: JSON.stringify(body),
  });
  await answer.arrayBuffer();
  return answer;
}

function challengeIn(answer: Response): Challenge {
  const header = answer.headers.get("payment-required");
  if (answer.status !== 402 || header === null) throw new Error(`${answer.status} instead of a 402`);
  return JSON.parse(Buffer.from(header, "base64").toString());
}

const encoded = (payload: unknown) => Buffer.from(JSON.stringify(payload)).toString("base64");

async function buyAt(url: string, { buyer }: World, body: object): Promise<void> {
  const payload = await buyer.createPaymentPayload(challengeIn(await ask(url, body)));
  const { status } = await ask(url, body, encoded(payload));
  if (status !== 200) throw new Error(`a purchase was answered ${status}`);
}

const verifyOf = ({ url }: RunningServer): string => `${url}/a2mcp/verify`;

async function roundTrips(freeServer: RunningServer, paid: RunningServer, world: World): Promise<void> {
  // One for both: it sends with one account.
  const local = localFacilitatorOf(paid.services);
  const facilitator = createFacilitator(local, TIMEOUT_MS);
  const alone = await startLibraryAlone(local, (await signed(paid, world)).terms);
  const settleAlone = async () => {
    const { payment, terms } = await signed(paid, world);
    if ((await facilitator.verify(payment, terms)) !== null) throw new Error("not verified");
    if (!(await facilitator.settle(payment, terms)).success) throw new Error("not settled");
  };
  const parts: Record<string, Parts> = {};
  for (const clients of [1, CLIENTS]) {
    const times = (work: () => Promise<void>) => async () => {
      await byClients(clients, PURCHASES_A_ROUND, work);
      return PURCHASES_A_ROUND;
    };
    const ours = {
      name: "paid: 402, signature, report with receipt",
      round: times(() => buyAt(verifyOf(paid), world, world.body())),
    };
    const measured = await sideBySide(
      [
        ours,
        {
          name: "402, signature, verified and settled by the library's functions",
          round: times(settleAlone),
        },
        {
          name: "the library's own server, selling nothing",
          round: times(() => buyAt(alone.url, world, {})),
        },
        {
          name: "free: report",
          round: times(async () => {
            const { status } = await ask(verifyOf(freeServer), world.body());
            if (status !== 200) throw new Error(`the free phase answered ${status}`);
          }),
        },
      ],
      ROUNDS,
    );
    printRates(`POST /a2mcp/verify, clients: ${clients}; the chain on the other core`, measured);
    parts[`a purchase, clients: ${clients}`] = await partsOf(ours.round);
    const [purchase, functions, library, free] = measured.map(({ perSecond }) => 1_000 / perSecond) as [
      number,
      number,
      number,
      number,
    ];
    print(
      `A purchase takes ${inMs(purchase, 0)}, ${(purchase / free).toFixed(1)} times as long as a free report. The library's ` +
        `functions take ${(functions / purchase).toFixed(2)} of that time, its own server ${(library / purchase).toFixed(2)}.`,
    );
  }
  printParts(parts);
  await alone.stop();
}

/** A payment for a trade, signed and not sent. */
async function signed(server: RunningServer, { buyer, body }: World) {
  const payload = await buyer.createPaymentPayload(challengeIn(await ask(verifyOf(server), body())));
  const payment = readPayment(encoded(payload));
  return { payment, terms: payment.accepted as Requirements };
}

/** With an account of its own, so that its transactions do not take the service's nonces. */
function localFacilitatorOf({ provider, deployment: { chainId } }: RunningServer["services"]) {
  const { privateKey } = localAccounts().relayer;
  return createLocalFacilitator({ provider, privateKey, chainId });
}

/** One purchase after the other, step by step, by the functions that the service calls. */
async function whereTheTimeGoes(server: RunningServer, world: World): Promise<void> {
  const { services } = server;
  const { jobs, provider, deployment } = services;
  const facilitator = createFacilitator(localFacilitatorOf(services), TIMEOUT_MS);
  const reader = createChainReader({ provider, chainId: deployment.chainId, confirmations: 1 });
  const seconds = () => Math.floor(Date.now() / 1_000);
  const { timed, printMedians } = stopwatch();

  for (let n = 0; n < STEPS; n++) {
    const trade = world.body();
    const intent = intentOf(trade);
    const challenge = await timed("402 over HTTP: judged, told the terms", async () =>
      challengeIn(await ask(verifyOf(server), trade)),
    );
    const payload = await timed("wallet: signature", () => world.buyer.createPaymentPayload(challenge));
    const payment = readPayment(encoded(payload));
    const terms = payment.accepted as Requirements;
    const authorization = authorizationOf(payment);
    const { job, report } = await timed("report: facts, evidence, checks", () =>
      judgedOnce(jobs, intent, digestOf(newJobToken(randomBytes))),
    );
    await timed("facilitator: verify (beside the next)", () => facilitator.verify(payment, terms));
    const unusedAtBlock = await timed("chain: is the nonce unused?", () =>
      reader.unusedAt(terms.asset, authorization.payer, authorization.nonce),
    );
    if (unusedAtBlock === null) throw new Error("the nonce was used");
    const key = keyOf(payment);
    const stored = await timed("database: intent, job, report in one transaction", () =>
      insertIntent(
        jobs.db,
        {
          ...key,
          amount: terms.amount,
          payTo: terms.payTo,
          validBefore: Number(authorization.validBefore),
          payment,
          terms,
          unusedAtBlock,
          createdAt: seconds(),
          nextLookAt: Date.now() + TIMEOUT_MS,
          attempt: null,
        },
        async (trx) => {
          await storeJob(trx, job, report);
          return job.id;
        },
      ),
    );
    if (stored === null) throw new Error("the intent was there already");
    const { transaction } = await timed("facilitator: settle, mined", () =>
      facilitator.settle(payment, terms),
    );
    const sight = await timed("chain: is it paid? (the receipt)", () =>
      reader.look({ ...stored, hint: transaction }),
    );
    if (sight.state !== "paid") throw new Error(`the chain says ${sight.state}`);
    await timed("database: settled", () => markSettled(jobs.db, key, sight, seconds()));
    await timed("database: report read, token made, delivery noted", async () => {
      await findReport(jobs.db, job.id, 1);
      await addJobToken(jobs.db, job.id, canonicalHash(job.id), Date.now());
      await markReleased(jobs.db, job.id, seconds());
    });
  }
  printMedians("Where a purchase's time goes");
}
