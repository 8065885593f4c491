/** A flood of submissions that are no trades does not keep a trade from being confirmed, however the node answers. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { Transaction } from "ethers";
import { sql } from "kysely";
import { type Database, engineOf } from "../../../database/open.ts";
import { forEachEngine } from "../../support/database.ts";
import { flakyRpc, isTradeSearch } from "../../support/flakyRpc.ts";
import { testPaidWorld } from "../../support/payments.ts";
import { approve, carryOut, preparedTrade, startService, walletOf } from "../../support/service.ts";
import { ofSuite } from "../../support/suite.ts";

/** The watcher looks at some hundred a second: one after the other they would take longer than a test waits for a job. */
const BOGUS = 20_000;
/** Each within the patience that a service has with a statement. */
const ROWS_A_STATEMENT = 10_000;

/** Submissions of one job that look like those of many jobs: due now, of the last hour. */
async function submitBogus(db: Database, jobId: string, nowMs: number): Promise<void> {
  const hash =
    engineOf(db) === "postgres"
      ? sql.raw("md5(random()::text) || md5(random()::text)")
      : sql.raw("lower(hex(randomblob(32)))");
  const now = Math.floor(nowMs / 1000);
  for (let from = 0; from < BOGUS; from += ROWS_A_STATEMENT) {
    const last = from + ROWS_A_STATEMENT - 1;
    await sql`insert into executions (id, job_id, transaction_hash, state, submitted_at, next_look_at)
      with recursive numbers (n) as
        (select cast(${from} as integer) union all select n + 1 from numbers where n < ${last})
      select 'exec_bogus' || n, cast(${jobId} as text), '0x' || ${hash}, 'submitted',
        cast(${now} as integer) - n % 3600, cast(${nowMs} as bigint) from numbers`.execute(db);
  }
}

describe(`${BOGUS} submitted hashes that no node knows`, () => {
  const world = testPaidWorld();
  const rpc = ofSuite(() => flakyRpc(world.url));

  forEachEngine((engine) => {
    const service = ofSuite(async () => startService(world, await engine.createUrl(), { RPC_URL: rpc.url }));
    before(async () => {
      const { jobId } = await service.newJob();
      await submitBogus(service.server.service.db, jobId, world.clock.now());
    });
    afterEach(() => {
      rpc.decide = () => null;
    });

    const submit = async (jobId: string, transactionHash: string) => {
      expect((await service.submit(jobId, transactionHash)).status).to.equal(201);
    };
    const confirmed = (jobId: string) =>
      service.jobWhen(jobId, ({ executions }) => executions[0].state === "confirmed");

    for (const [what, decide] of [
      ["a node that gives events", () => null],
      [
        "a node that gives none",
        (method: string, _transaction: unknown, params: unknown[]) =>
          isTradeSearch(method, params) ? { error: { code: -32_005, message: "limit exceeded" } } : null,
      ],
    ] as const) {
      it(`submitted hashes that no node knows do not hold up a trade that is submitted after its block, at ${what}`, async () => {
        rpc.decide = decide;
        const { jobId, execution } = await preparedTrade(service);
        await submit(jobId, await carryOut(walletOf(world), execution));
        await confirmed(jobId);
      });

      it(`submitted hashes that no node knows do not hold up a trade that is submitted before its block, at ${what}`, async () => {
        rpc.decide = decide;
        const { jobId, execution } = await preparedTrade(service);
        const owner = walletOf(world);
        const { approval, guardCall } = execution;
        await approve(owner, approval);
        const raw = await owner.signTransaction(
          await owner.populateTransaction({ to: guardCall.to, data: guardCall.data, gasLimit: 1_000_000 }),
        );
        await submit(jobId, Transaction.from(raw).hash!);
        await sleep(1_000);
        await owner.provider!.broadcastTransaction(raw);
        await confirmed(jobId);
      });
    }
  });
});
