/** The database goes away at each step of a purchase, and comes back. */

import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import pg from "pg";
import { localPayments } from "../../../devnet/facilitator.ts";
import { startFacilitator, type TestFacilitator } from "../../support/paymentFacilitator.ts";
import {
  approvePermit2,
  type Buyer,
  buyerOf,
  createPaidWorld,
  decodeHeader,
  income,
  nonceOf,
  verify,
  verifyBody,
  WAYS,
} from "../../support/payments.ts";
import { type PostgresServer, postgresServer } from "../../support/postgres.ts";
import { type Service, startService, walletOf } from "../../support/service.ts";
import { testWorld } from "../../support/world.ts";

for (const way of WAYS)
  describe(`a database that goes away while a purchase by ${way.title} is made`, function () {
    this.timeout(120_000);
    const world = testWorld(createPaidWorld);
    let facilitator: TestFacilitator;
    let postgres: PostgresServer;
    let databaseUrl: string;
    let service: Service;
    let buyer: Buyer;
    let body: Record<string, unknown>;
    let signature: string;
    let held: bigint;
    let bodies = 0;
    before(async () => {
      if (way.method === "permit2") await approvePermit2(world, [walletOf(world)]);
      facilitator = await startFacilitator(world);
      postgres = await postgresServer();
      databaseUrl = await postgres.createDatabase();
      service = await startService(
        world,
        databaseUrl,
        { PAYMENT_PHASE: "paid", FACILITATOR_URL: facilitator.url },
        { payments: localPayments },
      );
      buyer = buyerOf(service, 0, way);
    });
    after(async () => {
      await service.stop();
      await facilitator.stop();
    });
    beforeEach(async () => {
      body = verifyBody(service, { amountInRaw: String(250_000_000 + ++bodies) });
      signature = await buyer.sign(await verify(service, body));
      held = await income(world, way);
    });
    afterEach(() => {
      for (const hook of ["afterVerify", "beforeSettle", "afterSettle"] as const)
        facilitator[hook] = async () => {};
    });

    const charged = async () => (await income(world, way)) - held;
    async function isUnavailable(): Promise<void> {
      const answer = await verify(service, body, signature);
      expect([answer.status, answer.body.code]).to.deep.equal([503, "unavailable"]);
      expect(answer.headers.has("payment-required")).to.equal(false);
    }
    /** The same payload gets report and receipt, for one transfer in all. */
    async function isDeliveredOnce(): Promise<void> {
      let answer = await verify(service, body, signature);
      for (let attempt = 0; answer.status === 409 && attempt < 40; attempt++) {
        await sleep(200);
        answer = await verify(service, body, signature);
      }
      expect(answer.status, answer.text).to.equal(200);
      expect(decodeHeader(answer.headers.get("payment-response")).success).to.equal(true);
      expect(await charged()).to.equal(way.price);
      const rows = await service.server.db
        .selectFrom("payments")
        .select("state")
        .where("nonce", "=", nonceOf(signature))
        .execute();
      expect(rows).to.deep.equal([{ state: "settled" }]);
    }
    const goesAway = () => postgres.stop();

    it("before the request: nothing is asked for and nothing is charged", async () => {
      await goesAway();
      const unpaid = await verify(service, body);
      await isUnavailable();
      await postgres.start();
      expect([unpaid.status, unpaid.body.code]).to.deep.equal([503, "unavailable"]);
      expect(await charged()).to.equal(0n);
      await isDeliveredOnce();
    });

    it("after the payment was verified: nothing is charged", async () => {
      facilitator.afterVerify = goesAway;
      const { settlements } = facilitator;
      await isUnavailable();
      facilitator.afterVerify = async () => {};
      await postgres.start();
      expect(facilitator.settlements).to.equal(settlements);
      expect(await charged()).to.equal(0n);
      await isDeliveredOnce();
    });

    it("after the intent was written: what was settled is delivered later", async () => {
      facilitator.beforeSettle = goesAway;
      await isUnavailable();
      facilitator.beforeSettle = async () => {};
      await postgres.start();
      expect(await charged()).to.equal(way.price);
      await isDeliveredOnce();
    });

    it("after the payment was noted, before the answer: the same is delivered later", async () => {
      const lock = new pg.Client({ connectionString: databaseUrl });
      await lock.connect();
      // The answer needs the log's proof.
      facilitator.afterVerify = async () => {
        await lock.query("begin");
        await lock.query("lock table log_entries in access exclusive mode");
      };
      const answered = verify(service, body, signature);
      const nonce = nonceOf(signature);
      for (let step = 0; step < 200; step++) {
        const { rows } = await lock.query(
          "select state from payments where nonce = $1 and state = 'settled'",
          [nonce],
        );
        if (rows.length > 0) break;
        await sleep(20);
      }
      await sleep(100);
      await lock.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
      );
      const answer = await answered;
      facilitator.afterVerify = async () => {};
      expect([answer.status, answer.body.code]).to.deep.equal([503, "unavailable"]);
      await lock.query("rollback");
      await lock.end();
      expect(await charged()).to.equal(way.price);
      await isDeliveredOnce();
    });
  });
