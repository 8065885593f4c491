/** The process is killed, for real, while it prepares: the call of the limit was not used. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { PREPARE_LEASE_MS, takePrepareSlot } from "../../../api/jobs/prepareLimit.ts";
import { openDatabase } from "../../../database/open.ts";
import { answerOf, json } from "../../support/http.ts";
import { type Gate, type PaidProcess, startGate, startPaidProcess } from "../../support/paidProcess.ts";
import { databaseFile } from "../../support/paymentDatabase.ts";
import { startFacilitator, type TestFacilitator } from "../../support/paymentFacilitator.ts";
import { createPaidWorld } from "../../support/payments.ts";
import { testWorld } from "../../support/world.ts";

describe("prepare-execution in a process that is killed", function () {
  this.timeout(60_000);
  const world = testWorld(createPaidWorld);
  let gate: Gate;
  let facilitator: TestFacilitator;
  let service: PaidProcess;
  let token: string;
  let jobId: string;
  const database = databaseFile();
  before(async () => {
    gate = await startGate(world);
    facilitator = await startFacilitator(world);
  });
  beforeEach(async () => {
    await run();
    const { body } = await answerOf(
      await fetch(
        `${service.url}/a2mcp/verify`,
        json({
          ownerAddress: world.accounts.users[0]!.address,
          inputAssetKey: world.assetKey("USDL"),
          outputAssetKey: world.assetKey("AAPLx"),
          amountInRaw: "250000000",
        }),
      ),
    );
    ({ jobToken: token, jobId } = body);
  });
  afterEach(async () => {
    gate.before = () => undefined;
    await service.program.crash();
  });
  after(async () => {
    await gate.stop();
    await facilitator.stop();
    await database.remove();
  });

  async function run(): Promise<void> {
    service = await startPaidProcess(world, {
      gate,
      facilitator,
      databaseUrl: database.url,
      env: { PAYMENT_PHASE: "free" },
    });
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
    const reached = new Promise<void>((resolve) => {
      gate.before = () => {
        resolve();
        return new Promise(() => {});
      };
    });
    const lost = prepare().catch(() => {});
    await reached;
    const db = openDatabase(database.url);
    const slots = db.selectFrom("prepare_slots").select("owner").where("job_id", "=", jobId);
    while ((await slots.execute()).length === 0) await sleep(20);
    await db.destroy();
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
    const db = openDatabase(database.url);
    await db
      .updateTable("prepare_slots")
      .set({ owner: "another machine" })
      .where("job_id", "=", jobId)
      .execute();
    await run();
    expect([await prepare(), await prepare()]).to.deep.equal([200, 429]);
    const process = { self: "me", isDead: () => false };
    expect(await takePrepareSlot(db, process, jobId, Date.now() + PREPARE_LEASE_MS)).to.include({ jobId });
    await db.destroy();
  });

  it("counts a call that is under way", async () => {
    let open = () => {};
    const reached = new Promise<void>((resolve) => {
      gate.before = () => {
        resolve();
        return new Promise<void>((go) => {
          const before = open;
          open = () => {
            before();
            go();
          };
        });
      };
    });
    const running = [prepare(), prepare()];
    await reached;
    await sleep(300);
    gate.before = () => undefined;
    expect(await prepare()).to.equal(429);
    open();
    expect(await Promise.all(running)).to.deep.equal([200, 200]);
    expect(await prepare()).to.equal(429);
  });
});
