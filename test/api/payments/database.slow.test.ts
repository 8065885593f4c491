/** The database goes away at each step of a purchase, and comes back. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import pg from "pg";
import { expectProblem, expectStatus, insisted } from "../../support/http.ts";
import { testFacilitator } from "../../support/paymentFacilitator.ts";
import { startPaidService, testPaidWorld, testSale } from "../../support/payments.ts";
import { type PostgresServer, postgresServer } from "../../support/postgres.ts";
import { ofSuite } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { nonceOf, PRICE, receiptIn } from "../../support/x402.ts";

// The token is not asked about a payment here, so the method of payment does not matter.
describe("a database that goes away while a purchase is made", () => {
  const world = testPaidWorld();
  const facilitator = testFacilitator(world);
  let postgres: PostgresServer;
  let databaseUrl: string;
  const service = ofSuite(async () => {
    postgres = await postgresServer();
    databaseUrl = await postgres.createDatabase();
    return startPaidService(world, databaseUrl, { FACILITATOR_URL: facilitator.url });
  });
  const sale = testSale(service);
  const { ask, challenge, charged, outcome } = sale;

  async function isUnavailable(): Promise<void> {
    const answer = expectProblem(await ask(), 503, "unavailable");
    expect(answer.headers.has("payment-required")).to.equal(false);
  }
  /** The same payload gets report and receipt, for one transfer in all. */
  async function isDeliveredOnce(): Promise<void> {
    const answer = expectStatus(await insisted(() => ask(), [409]), 200);
    expect(receiptIn(answer).success).to.equal(true);
    expect(await outcome()).to.deep.equal(["settled", PRICE]);
  }
  const goesAway = () => postgres.stop();

  it("a purchase is neither offered nor charged while the database is away", async () => {
    await goesAway();
    const unpaid = await challenge();
    await isUnavailable();
    await postgres.start();
    expectProblem(unpaid, 503, "unavailable");
    expect(await charged()).to.equal(0n);
    await isDeliveredOnce();
  });

  it("a purchase whose database goes away after the payment was verified is not charged", async () => {
    facilitator.afterVerify = goesAway;
    const { settlements } = facilitator;
    await isUnavailable();
    facilitator.afterVerify = async () => {};
    await postgres.start();
    expect(facilitator.settlements).to.equal(settlements);
    expect(await charged()).to.equal(0n);
    await isDeliveredOnce();
  });

  it("a purchase whose database goes away after the intent was written is delivered later where it was settled", async () => {
    facilitator.beforeSettle = goesAway;
    await isUnavailable();
    facilitator.beforeSettle = async () => {};
    await postgres.start();
    expect(await charged()).to.equal(PRICE);
    await isDeliveredOnce();
  });

  it("a purchase whose database goes away after the payment was noted, before the answer, is delivered later", async () => {
    const lock = new pg.Client({ connectionString: databaseUrl });
    await lock.connect();
    // The answer needs the log's proof.
    facilitator.afterVerify = async () => {
      await lock.query("begin");
      await lock.query("lock table log_entries in access exclusive mode");
    };
    const answered = ask();
    const settled = "select state from payments where nonce = $1 and state = 'settled'";
    const isSettled = async () => (await lock.query(settled, [nonceOf(sale.signature)])).rows.length > 0;
    await until("the settlement", isSettled);
    await sleep(100);
    await lock.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    );
    const answer = await answered;
    facilitator.afterVerify = async () => {};
    expectProblem(answer, 503, "unavailable");
    await lock.query("rollback");
    await lock.end();
    expect(await charged()).to.equal(PRICE);
    await isDeliveredOnce();
  });
});
