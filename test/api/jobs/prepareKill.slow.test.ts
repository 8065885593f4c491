/** The process is killed, for real, while it prepares: what it was at costs no call of the limit beyond its version. */
import { expect } from "chai";
import { GUARD_ABI } from "../../../chain/abis.ts";
import { databaseFile, onDatabase, rowsOf } from "../../support/database.ts";
import { answerOf, json } from "../../support/http.ts";
import { testFacilitator } from "../../support/paymentFacilitator.ts";
import { testPaidWorld } from "../../support/payments.ts";
import { recordLiquidity } from "../../support/samples.ts";
import { type PaidProcess, startPaidProcess, testGate } from "../../support/serviceProcess.ts";
import { purchaseIn } from "../../support/world.ts";

describe("prepare-execution in a process that is killed", () => {
  const world = testPaidWorld();
  const database = databaseFile();
  const gate = testGate(world);
  const facilitator = testFacilitator(world);
  let service: PaidProcess;
  let token: string;
  let jobId: string;
  before(() => run());
  beforeEach(async () => {
    await world.tick(0);
    await onDatabase(database.url, (db) => recordLiquidity(world, db));
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
  /** Killed while a call asks the chain for this: the service asks it for itself, too. */
  async function killAt(isAsked: (method: string, params: any[]) => boolean): Promise<void> {
    // What is known of a block is not asked again.
    await world.mine();
    const reached = Promise.withResolvers<void>();
    gate.before = (method, params) => {
      if (!isAsked(method, params)) return undefined;
      reached.resolve();
      return new Promise(() => {});
    };
    const lost = prepare().catch(() => {});
    await reached.promise;
    await service.program.crash();
    await lost;
    gate.before = () => undefined;
  }
  const versions = () =>
    onDatabase(database.url, async (db) => {
      const reports = await rowsOf(db, "reports", { job_id: jobId });
      return reports.map(
        ({ version, execution }) => `${version} ${execution === null ? "open" : "certified"}`,
      );
    });

  it("prepare-execution in a process that is killed costs none of the two calls in five minutes where it gathered the facts", async () => {
    await killAt((method) => method === "eth_call");
    expect(await versions()).to.deep.equal(["1 open"]);
    await run();
    expect([await prepare(), await prepare(), await prepare()]).to.deep.equal([200, 200, 429]);
    expect(await versions()).to.deep.equal(["1 open", "2 certified", "3 certified"]);
  });

  it("prepare-execution in a process that is killed leaves a version that the next call finishes, in its place, where it had judged", async () => {
    const { selector } = GUARD_ABI.getFunction("isNonceUsed")!;
    await killAt((method, [call]) => method === "eth_call" && String(call.data).startsWith(selector));
    expect(await versions()).to.deep.equal(["1 open", "2 open"]);
    await run();
    expect([await prepare(), await prepare(), await prepare()]).to.deep.equal([200, 200, 429]);
    expect(await versions()).to.deep.equal(["1 open", "2 certified", "3 certified"]);
  });
});
