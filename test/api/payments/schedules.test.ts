/**
 * Random schedules of requests, copies, faults and real kills. Whatever happens: what the chain says was paid is what
 * the books say was sold, once a job, and every report that was paid for can be had.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { id, zeroPadValue } from "ethers";
import fc from "fast-check";
import { type Database, openDatabase } from "../../../database/open.ts";
import { forEachEngine } from "../../support/database.ts";
import { type Answer, answerOf, json } from "../../support/http.ts";
import { type Gate, type PaidProcess, startGate, startPaidProcess } from "../../support/paidProcess.ts";
import {
  type SettleFault,
  startFacilitator,
  type TestFacilitator,
  type VerifyFault,
} from "../../support/paymentFacilitator.ts";
import { buyerOnChain, createPaidWorld, decodeHeader, PRICE, paidWith } from "../../support/payments.ts";
import type { TestWorld } from "../../support/world.ts";

/** Each takes some seconds: the service is started and killed for real. */
const RUNS = 5;
const TIMEOUT_MS = 250;

type Step =
  | { kind: "ask"; body: number; payer: number; again: boolean; copies: number; wait: boolean }
  | { kind: "faults"; verify: VerifyFault | null; settle: SettleFault | null }
  | { kind: "kill"; afterMs: number };

const ask: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant("ask" as const),
  body: fc.nat(1),
  payer: fc.nat(1),
  again: fc.boolean(),
  copies: fc.integer({ min: 1, max: 3 }),
  wait: fc.boolean(),
});
const faults: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant("faults" as const),
  verify: fc.constantFrom(null, null, null, "hang" as const, "error" as const),
  settle: fc.constantFrom<SettleFault | null>(
    null,
    "hang",
    "error",
    "settle-then-error",
    "settle-then-refuse",
    "settle-then-hang",
    "late",
    "settle-late",
    "refuse",
    "lie",
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
  let world: TestWorld;
  let facilitator: TestFacilitator;
  let gate: Gate;
  before(async () => {
    world = await createPaidWorld();
    facilitator = await startFacilitator(world);
    facilitator.lateMs = 2 * TIMEOUT_MS;
    gate = await startGate(world);
  });
  after(async () => {
    await gate.stop();
    await facilitator.stop();
    await world.stop();
  });

  forEachEngine((engine) => {
    let databaseUrl: string;
    let db: Database;
    let service: PaidProcess;
    before(async () => {
      databaseUrl = await engine.createUrl();
      service = await startService();
      db = openDatabase(databaseUrl);
    });
    after(async () => {
      await service.program.crash();
      await db.destroy();
    });
    const startService = () =>
      startPaidProcess(world, {
        gate,
        facilitator,
        databaseUrl,
        env: { FACILITATOR_TIMEOUT_MS: String(TIMEOUT_MS), LOG_LEVEL: "warn" },
      });

    let runs = 0;
    const bodyOf = (index: number) => ({
      ownerAddress: world.accounts.users[0]!.address,
      inputAssetKey: world.assetKey("USDL"),
      outputAssetKey: world.assetKey("AAPLx"),
      amountInRaw: String(250_000_000 + runs * 10 + index),
    });
    const request = async (body: object, signature?: string): Promise<Answer> =>
      answerOf(await fetch(`${service.url}/a2mcp/verify`, paidWith(signature, json(body))));

    /** Amounts that the chain says were transferred to the payee since a block, by transaction. */
    async function transfersSince(block: number): Promise<Map<string, bigint>> {
      const logs = await world.provider.getLogs({
        address: world.token("USDL"),
        topics: [
          id("Transfer(address,address,uint256)"),
          null,
          zeroPadValue(world.accounts.payee.address, 32),
        ],
        fromBlock: block + 1,
        toBlock: "latest",
      });
      return new Map(logs.map(({ transactionHash, data }) => [transactionHash, BigInt(data)]));
    }

    it("charges what it delivers, once a job", async () => {
      await fc.assert(
        fc.asyncProperty(schedule, async (steps) => {
          runs++;
          const first = await world.provider.getBlockNumber();
          const since = await db.selectFrom("payments").select("nonce").execute();
          const known = new Set(since.map(({ nonce }) => nonce));
          const signatures = new Map<string, object>();
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
              const body = bodyOf(step.body);
              const slot = `${step.body} ${step.payer}`;
              const before = step.again ? last.get(slot) : undefined;
              const challenge = before === undefined ? await request(body) : undefined;
              if (challenge !== undefined && challenge.status !== 402) continue;
              const signature = before ?? (await buyerOnChain(world, step.payer).sign(challenge as Answer));
              last.set(slot, signature);
              signatures.set(signature, body);
              const copies = Array.from({ length: step.copies }, () =>
                request(body, signature).then(
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
          for (const [signature, body] of signatures)
            for (let attempt = 0; attempt < 150; attempt++) {
              const answer = await request(body, signature);
              ended.set(signature, answer);
              if (![409, 503].includes(answer.status)) break;
              await sleep(100);
            }

          const rows = (await db.selectFrom("payments").selectAll().execute()).filter(
            ({ nonce }) => !known.has(nonce),
          );
          expect(rows.filter(({ state }) => state === "settling")).to.deep.equal([]);
          const settled = rows.filter(({ state }) => state === "settled");
          const transfers = await transfersSince(first);
          expect(transfers.size, "as many transfers as sales").to.equal(settled.length);
          for (const row of settled)
            expect(transfers.get(row.transaction_hash ?? ""))
              .to.equal(PRICE)
              .and.to.equal(BigInt(row.amount));
          expect(new Set(settled.map(({ job_id }) => job_id)).size, "one a job").to.equal(settled.length);

          const jobOf = new Map(settled.map((row) => [row.transaction_hash, row.job_id]));
          for (const [signature, answer] of ended) {
            const { nonce } = decodeHeader(signature).payload.authorization;
            const row = rows.find((candidate) => candidate.nonce === nonce);
            expect(answer.status, `${answer.text} for ${row?.state} ${row?.fault}`).to.equal(200);
            expect(answer.body.jobId).to.equal(row?.job_id);
          }
          for (const { answer } of answers.filter(({ answer: { status } }) => status === 200)) {
            const receipt = decodeHeader(answer.headers.get("payment-response"));
            expect(jobOf.get(receipt.transaction)).to.equal(answer.body.jobId);
          }
        }),
        { numRuns: RUNS, interruptAfterTimeLimit: 150_000, endOnFailure: true },
      );
    });
  });
});
