/** The process is killed, for real, while it prepares: the call of the limit was not used. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { PREPARE_LEASE_MS, takePrepareSlot } from "../../../api/jobs/prepareLimit.ts";
import { openDatabase } from "../../../database/open.ts";
import { changeRows, onDatabase, rowsOf } from "../../support/database.ts";
import { answerOf, json } from "../../support/http.ts";
import { type PaidProcess, startPaidProcess, testGate } from "../../support/paidProcess.ts";
import { databaseFile } from "../../support/paymentDatabase.ts";
import { testFacilitator } from "../../support/paymentFacilitator.ts";
import { createPaidWorld } from "../../support/payments.ts";
import { purchaseIn, testWorld } from "../../support/world.ts";

describe("prepare-execution in a process that is killed", () => {
  const world = testWorld(createPaidWorld);
  const database = databaseFile();
  const gate = testGate(world);
  const facilitator = testFacilitator(world);
  let service: PaidProcess;
  let token: string;
  let jobId: string;
  before(() => run());
  beforeEach(async () => {
    const { body } = await answerOf(await fetch(`${service.url}/a2mcp/verify`, json(purchaseIn(world))));
    ({ jobToken: token, jobId } = body);
  });
  after(async () => {
    await service.program.crash();
    await database.remove();
  });

  async function run(): Promise<void> {
    const env = { PAYMENT_PHASE: "free" };
    service = await startPaidProcess(world, { gate, facilitator, databaseUrl: database.url, env });
  }
  async function prepare(): Promise<number> {
    const response = await fetch(`${service.url}/v1/jobs/${jobId}/prepare-execution`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
    });
    await response.text();
    return response.status;
  }
  /** Killed while a call is at the chain, with its slot taken: the service asks the chain for itself, too. */
  async function killInPrepare(): Promise<void> {
    const reached = Promise.withResolvers<void>();
    gate.before = () => {
      reached.resolve();
      return new Promise(() => {});
    };
    const lost = prepare().catch(() => {});
    await reached.promise;
    await onDatabase(database.url, async (db) => {
      while ((await rowsOf(db, "prepare_slots", { job_id: jobId })).length === 0) await sleep(20);
    });
    await service.program.crash();
    await lost;
    gate.before = () => undefined;
  }

  it("costs none of the two calls in five minutes", async () => {
    await killInPrepare();
    await run();
    expect([await prepare(), await prepare(), await prepare()]).to.deep.equal([200, 200, 429]);
  });

  it("costs one of them for a minute at most where nobody can tell that the process is dead", async () => {
    await killInPrepare();
    await using db = openDatabase(database.url);
    await changeRows(db, "prepare_slots", { owner: "another machine" }, { job_id: jobId });
    await run();
    expect([await prepare(), await prepare()]).to.deep.equal([200, 429]);
    const process = { self: "me", isDead: () => false };
    expect(await takePrepareSlot(db, process, jobId, Date.now() + PREPARE_LEASE_MS)).to.include({ jobId });
  });

  it("counts a call that is under way", async () => {
    const reached = Promise.withResolvers<void>();
    const opened = Promise.withResolvers<void>();
    gate.before = () => {
      reached.resolve();
      return opened.promise;
    };
    const running = [prepare(), prepare()];
    await reached.promise;
    await sleep(300);
    gate.before = () => undefined;
    expect(await prepare()).to.equal(429);
    opened.resolve();
    expect(await Promise.all(running)).to.deep.equal([200, 200]);
    expect(await prepare()).to.equal(429);
  });
});
