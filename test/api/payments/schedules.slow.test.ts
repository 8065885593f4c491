/**
 * Random schedules of requests, copies, faults and real kills. In each, what the chain says was paid is what the ledger
 * says was sold, once per job, and every report that was paid for is available.
 */

import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { id, zeroPadValue } from "ethers";
import fc from "fast-check";
import { createKeys } from "../../../api/keys/keys.ts";
import { type Database, openDatabase } from "../../../database/open.ts";
import { forEachEngine } from "../../support/database.ts";
import { approvePermit2 } from "../../support/dollars.ts";
import { type Answer, APPLICANT, answerOf, insisted, json, paidWith } from "../../support/http.ts";
import { type SettleFault, testFacilitator, type VerifyFault } from "../../support/paymentFacilitator.ts";
import { buyerOnChain, testPaidWorld } from "../../support/payments.ts";
import { walletOf } from "../../support/service.ts";
import { type PaidProcess, startPaidProcess, testGate } from "../../support/serviceProcess.ts";
import { purchaseIn } from "../../support/world.ts";
import { nonceOf, receiptIn, WAYS, type Way } from "../../support/x402.ts";

/** Each takes some seconds: the service is started and killed for real. */
const RUNS = 3;
const TIMEOUT_MS = 250;

/** The target that is a job; the others are bodies. */
const JOB = 2;

type Step =
  | { kind: "ask"; target: number; payer: number; way: Way; again: boolean; copies: number; wait: boolean }
  | { kind: "faults"; verify: VerifyFault | null; settle: SettleFault | null }
  | { kind: "kill"; afterMs: number };

const ask: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant("ask" as const),
  // Two bodies of /a2mcp/verify and a job with a key.
  target: fc.nat(JOB),
  payer: fc.nat(1),
  way: fc.constantFrom(...WAYS),
  again: fc.boolean(),
  copies: fc.integer({ min: 1, max: 3 }),
  wait: fc.boolean(),
});
const faults: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant("faults" as const),
  verify: fc.constantFrom(null, null, null, "hang" as const, "error" as const),
  settle: fc.constantFrom<SettleFault | null>(
    ...([null, "hang", "error", "refuse", "lie", "late", "settle-late"] as const),
    ...(["settle-then-error", "settle-then-refuse", "settle-then-hang"] as const),
  ),
});
const kill: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant("kill" as const),
  afterMs: fc.integer({ min: 0, max: 120 }),
});
const schedule = fc.array(
  fc.oneof({ weight: 6, arbitrary: ask }, { weight: 3, arbitrary: faults }, { weight: 1, arbitrary: kill }),
  { minLength: 6, maxLength: 14 },
);

describe("any schedule of requests, faults and kills", function () {
  this.timeout(240_000);
  const world = testPaidWorld();
  const facilitator = testFacilitator(world);
  const gate = testGate(world);
  before(async () => {
    await approvePermit2(world, [walletOf(world, 0), walletOf(world, 1)]);
    facilitator.lateMs = 2 * TIMEOUT_MS;
  });

  forEachEngine((engine) => {
    let databaseUrl: string;
    let db: Database;
    let service: PaidProcess;
    let key: string;
    before(async () => {
      databaseUrl = await engine.createUrl();
      service = await startService();
      db = openDatabase(databaseUrl);
      key = (await createKeys({ db, now: Date.now, randomBytes }).create(APPLICANT, "test")).key;
    });
    after(async () => {
      await service.program.crash();
      await db.destroy();
    });
    const env = { FACILITATOR_TIMEOUT_MS: String(TIMEOUT_MS), LOG_LEVEL: "warn" };
    const startService = () => startPaidProcess(world, { gate, facilitator, databaseUrl, env });

    let runs = 0;
    const bodyOf = (target: number) => ({
      ...purchaseIn(world),
      amountInRaw: String(250_000_000 + runs * 10 + target),
    });
    async function send(path: string, init: RequestInit): Promise<Answer> {
      const headers = { ...(init.headers as Record<string, string>), "x-api-key": key };
      return answerOf(await fetch(`${service.url}${path}`, { ...init, headers }));
    }
    /** Asks for what is sold: a body's report, or that of the run's one job. */
    async function request(target: number, signature?: string): Promise<Answer> {
      if (target !== JOB) return send("/a2mcp/verify", paidWith(signature, json(bodyOf(target))));
      // The same request always finds the same job.
      const made = await send("/v1/jobs", json({ clientRequestId: `run-${runs}`, ...bodyOf(target) }));
      if (made.status !== 200 && made.status !== 201) return made;
      return send(`/v1/jobs/${made.body.jobId}/report`, paidWith(signature));
    }

    /** Amounts that the chain says were transferred to the payee since a block, by token and transaction. */
    async function transfersSince(block: number): Promise<Map<string, bigint>> {
      const { payee } = world.accounts;
      const logs = await world.provider.getLogs({
        address: WAYS.map(({ symbol }) => world.token(symbol)),
        topics: [id("Transfer(address,address,uint256)"), null, zeroPadValue(payee.address, 32)],
        fromBlock: block + 1,
        toBlock: "latest",
      });
      return new Map(
        logs.map(({ address, transactionHash, data }) => [`${address} ${transactionHash}`, BigInt(data)]),
      );
    }

    it("any schedule of requests, faults and kills charges what it delivers, once a job", async () => {
      await fc.assert(
        fc.asyncProperty(schedule, async (steps) => {
          runs++;
          const first = await world.provider.getBlockNumber();
          const since = await db.selectFrom("payments").select("nonce").execute();
          const known = new Set(since.map(({ nonce }) => nonce));
          const signatures = new Map<string, number>();
          const last = new Map<string, string>();
          const running: Promise<unknown>[] = [];
          const answers: { signature: string; answer: Answer }[] = [];

          for (const step of steps) {
            if (step.kind === "faults") {
              facilitator.verifyFault = step.verify;
              facilitator.settleFault = step.settle;
            } else if (step.kind === "kill") {
              await sleep(step.afterMs);
              await service.program.crash();
              service = await startService();
            } else {
              const { target } = step;
              const slot = `${target} ${step.payer} ${step.way.title}`;
              const before = step.again ? last.get(slot) : undefined;
              const challenge = before === undefined ? await request(target) : undefined;
              if (challenge !== undefined && challenge.status !== 402) continue;
              const signature =
                before ?? (await buyerOnChain(world, step.payer, step.way).sign(challenge as Answer));
              last.set(slot, signature);
              signatures.set(signature, target);
              const copies = Array.from({ length: step.copies }, () =>
                request(target, signature).then(
                  (answer) => answers.push({ signature, answer }),
                  () => {},
                ),
              );
              if (step.wait) await Promise.all(copies);
              running.push(...copies);
            }
          }

          facilitator.verifyFault = facilitator.settleFault = null;
          await Promise.all(running);
          await service.program.crash();
          service = await startService();
          const ended = new Map<string, Answer>();
          for (const [signature, target] of signatures)
            ended.set(signature, await insisted(() => request(target, signature)));

          const rows = (await db.selectFrom("payments").selectAll().execute()).filter(
            ({ nonce }) => !known.has(nonce),
          );
          expect(rows.filter(({ state }) => state === "settling")).to.deep.equal([]);
          const settled = rows.filter(({ state }) => state === "settled");
          const transfers = await transfersSince(first);
          expect(transfers.size, "as many transfers as sales").to.equal(settled.length);
          const priceIn = new Map(WAYS.map(({ symbol, price }) => [world.token(symbol), price]));
          for (const row of settled)
            expect(transfers.get(`${row.asset} ${row.transaction_hash}`))
              .to.equal(priceIn.get(row.asset))
              .and.to.equal(BigInt(row.amount));
          expect(new Set(settled.map(({ job_id }) => job_id)).size, "one a job").to.equal(settled.length);

          const jobOf = new Map(settled.map((row) => [row.transaction_hash, row.job_id]));
          for (const [signature, answer] of ended) {
            const nonce = nonceOf(signature);
            const row = rows.find((candidate) => candidate.nonce === nonce);
            expect(answer.status, `${answer.text} for ${row?.state} ${row?.fault}`).to.equal(200);
            // A job that was paid for already takes no second payment; then there is no row of it.
            const [jobId] = row
              ? [row.job_id]
              : settled.map((sale) => sale.job_id).filter((id) => id === answer.body.jobId);
            expect(answer.body.jobId).to.equal(jobId);
          }
          for (const { answer } of answers.filter(({ answer: { status } }) => status === 200)) {
            const receipt = receiptIn(answer);
            expect(jobOf.get(receipt.transaction)).to.equal(answer.body.jobId);
          }
        }),
        { numRuns: RUNS, interruptAfterTimeLimit: 150_000, endOnFailure: true },
      );
    });
  });
});
