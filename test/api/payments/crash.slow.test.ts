/**
 * The process is killed, for real, at each step of a purchase. Charged once at most, delivered if charged. By EIP-3009:
 * schedules.slow.test.ts kills it during purchases by Permit2, too, and node.test.ts asks the token about both.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import pg from "pg";
import { openDatabase } from "../../../database/open.ts";
import { forEachEngine } from "../../support/database.ts";
import { income } from "../../support/dollars.ts";
import { type Answer, answerOf, expectStatus, insisted, json, paidWith } from "../../support/http.ts";
import { toolResult } from "../../support/mcp.ts";
import { testFacilitator } from "../../support/paymentFacilitator.ts";
import { type Buyer, buyerOnChain, testPaidWorld } from "../../support/payments.ts";
import { postgresServer } from "../../support/postgres.ts";
import { withoutProof } from "../../support/service.ts";
import { type PaidProcess, startPaidProcess, testGate } from "../../support/serviceProcess.ts";
import { until } from "../../support/until.ts";
import { purchaseIn } from "../../support/world.ts";
import { decodeHeader, PRICE, STATE_SELECTORS } from "../../support/x402.ts";

describe("a process that is killed during a purchase", () => {
  const world = testPaidWorld();
  const facilitator = testFacilitator(world);
  const gate = testGate(world);

  forEachEngine((engine) => {
    let buyer: Omit<Buyer, "pay">;
    let service: PaidProcess;
    let database: string;
    let databaseUrl: string;
    let held: bigint;
    let bodies = 0;
    before(async () => {
      buyer = buyerOnChain(world);
      database = await engine.createUrl();
    });
    beforeEach(async () => {
      databaseUrl = database;
      held = await income(world);
      bodies++;
    });
    /** How the one that runs was started; null: none runs. */
    let started: string | null = null;
    afterEach(async function () {
      if (this.currentTest?.state === "failed" && started !== null) await crash();
    });
    after(() => service?.program.crash());

    async function run(env: Record<string, string> = {}): Promise<PaidProcess> {
      service = await startPaidProcess(world, { gate, facilitator, databaseUrl, env });
      started = JSON.stringify([databaseUrl, env]);
      return service;
    }
    const crash = () => {
      started = null;
      return service.program.crash();
    };
    const body = () => ({ ...purchaseIn(world), amountInRaw: String(250_000_000 + bodies) });
    const ask = async (signature?: string): Promise<Answer> =>
      answerOf(await fetch(`${service.url}/a2mcp/verify`, paidWith(signature, json(body()))));
    /** However often a loaded machine makes it ask: a facilitator that was too slow to verify has written nothing. */
    async function killedAfterSettling(signature: string): Promise<void> {
      let gone = false;
      facilitator.afterSettle = async () => {
        facilitator.afterSettle = async () => {};
        gone = true;
        await crash();
      };
      for (let attempt = 0; !gone && attempt < 50; attempt++) await ask(signature).catch(() => {});
      expect(gone, "it was settled").to.equal(true);
    }
    const charged = async () => (await income(world)) - held;
    async function rows(): Promise<{ state: string; job_id: string }[]> {
      await using db = openDatabase(databaseUrl);
      return await db
        .selectFrom("payments")
        .select(["payments.state", "payments.job_id"])
        .innerJoin("jobs", "jobs.id", "payments.job_id")
        .where("jobs.intent", "like", `%"${body().amountInRaw}"%`)
        .execute();
    }
    const states = async () => (await rows()).map(({ state }) => state);
    /** The service starts again; the same payload and a new purchase by the official client both find one charge. */
    async function recovers(signature: string): Promise<void> {
      await run();
      const answer = expectStatus(await insisted(() => ask(signature)), 200);
      expect(answer.body.decision).to.be.a("string");
      expect(await charged()).to.equal(PRICE);
      const again = await ask(signature);
      expect(again.headers.get("payment-response")).to.equal(answer.headers.get("payment-response"));
      const [one, other] = [answer, again].map(({ body }) => withoutProof({ ...body, jobToken: "" }));
      expect(other).to.deep.equal(one);
      expect(await charged()).to.equal(PRICE);
      expect((await states()).filter((state) => state === "settled")).to.have.length(1);
      expect(service.program.output()).not.to.include(decodeHeader(signature).payload.signature);
    }
    /** Signs what the process asks: the one that recovered in the test before, where it was started so. */
    async function signed(env: Record<string, string> = {}): Promise<string> {
      if (started !== JSON.stringify([databaseUrl, env])) {
        if (started !== null) await crash();
        await run(env);
      }
      return buyer.sign(await ask());
    }
    /** Kills the process, with the payment on its way to it, as soon as it has come so far. */
    async function killedAt(signature: string, reached: () => Promise<unknown>): Promise<void> {
      const lost = ask(signature).catch(() => {});
      await reached();
      await crash();
      await lost;
    }
    /** Never resolves. */
    const never = () => new Promise<void>(() => {});
    it("a process that is killed after verifying leaves nothing behind, and the payment can be made", async () => {
      const signature = await signed();
      const [verified, asked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      facilitator.afterVerify = async () => verified.resolve();
      gate.before = (method, params) => {
        if (method !== "eth_call" || !(params[0] as any).data.startsWith(STATE_SELECTORS.eip3009))
          return undefined;
        asked.resolve();
        return never();
      };
      await killedAt(signature, async () => {
        await Promise.all([verified.promise, asked.promise]);
        await sleep(50);
      });
      gate.before = () => undefined;
      expect(await rows()).to.deep.equal([]);
      expect(await charged()).to.equal(0n);
      await recovers(signature);
    });

    it("a process that is killed after the intent was written, before it was settled, goes on with it", async () => {
      const signature = await signed();
      const reached = Promise.withResolvers<void>();
      facilitator.beforeSettle = () => {
        reached.resolve();
        return never();
      };
      await killedAt(signature, () => reached.promise);
      expect(await states()).to.deep.equal(["settling"]);
      expect(await charged()).to.equal(0n);
      facilitator.beforeSettle = async () => {};
      await recovers(signature);
    });

    it("a process that is killed after settling finds on the chain that it was paid", async () => {
      const signature = await signed();
      await killedAfterSettling(signature);
      expect(await states()).to.deep.equal(["settling"]);
      expect(await charged()).to.equal(PRICE);
      const { settlements } = facilitator;
      await recovers(signature);
      expect(facilitator.settlements).to.equal(settlements);
    });

    it("a process that is killed after settling does not charge the official client's next call", async () => {
      const signature = await signed();
      await killedAfterSettling(signature);
      const { url } = await run();
      const pay = () => buyer.payAt(`${url}/a2mcp/verify`, json(body()));
      const answer = expectStatus(await insisted(pay), 200);
      expect(await charged()).to.equal(PRICE);
      const same = await ask(signature);
      expect(same.body.jobId).to.equal(answer.body.jobId);
    });

    it("a process that is killed after settling does not charge a call over MCP that signs anew", async () => {
      const signature = await signed();
      await killedAfterSettling(signature);
      const { url } = await run();
      const call = (payment?: object) => toolResult(url, "prepare_verification", body(), { payment });
      let paid: any;
      // While the first payment is not known to be settled there is nothing to sign.
      await until("the report", async () => {
        const asked = await call();
        if (JSON.parse(asked.content[0].text).code !== "payment_required") return false;
        paid = await call(await buyer.client.createPaymentPayload(asked.structuredContent));
        return paid.isError === undefined;
      });
      expect(paid._meta["x402/payment-response"]).to.include({ success: true });
      expect(await charged()).to.equal(PRICE);
      expect((await ask(signature)).body.jobId).to.equal(paid.structuredContent.jobId);
      expect((await states()).filter((state) => state === "settled")).to.have.length(1);
    });

    describe("while a patient facilitator settles", () => {
      const PATIENT = { FACILITATOR_TIMEOUT_MS: "50000" };
      /** Long before the facilitator's time is over. */
      const LIMIT_MS = 15_000;
      let goOn: () => void;
      /** Killed with the settlement at the facilitator, which goes on when the test says so. */
      async function killed(): Promise<string> {
        const signature = await signed(PATIENT);
        const [gone, reached] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
        goOn = gone.resolve;
        facilitator.beforeSettle = () => {
          facilitator.beforeSettle = async () => {};
          reached.resolve();
          return gone.promise;
        };
        await killedAt(signature, () => reached.promise);
        return signature;
      }
      /** Milliseconds until the payment is settled, with nobody asking. */
      async function settledAfter(): Promise<number> {
        const from = performance.now();
        await until("the settlement", states, ([state]) => state === "settled");
        return performance.now() - from;
      }
      const disown = async () => {
        await using db = openDatabase(databaseUrl);
        const attempts = db.updateTable("payments").set({ attempt_owner: "another machine" });
        await attempts.where("state", "=", "settling").execute();
      };

      it("a process that is killed while a patient facilitator settles is back with the report soon when the token says that it was paid meanwhile", async () => {
        const signature = await killed();
        const settled = Promise.withResolvers<void>();
        facilitator.afterSettle = async () => settled.resolve();
        goOn();
        await settled.promise;
        // Whose attempt it was does not matter then.
        await disown();
        await run(PATIENT);
        expect(await settledAfter()).to.be.lessThan(LIMIT_MS);
        expect((await ask(signature)).status).to.equal(200);
        expect(await charged()).to.equal(PRICE);
      });

      it("a process that is killed while a patient facilitator settles sees soon that the token was paid after the restart", async () => {
        const signature = await killed();
        await disown();
        await run(PATIENT);
        await sleep(1_000);
        expect(await states()).to.deep.equal(["settling"]);
        const { settlements } = facilitator;
        goOn();
        expect(await settledAfter()).to.be.lessThan(LIMIT_MS);
        // The lease of the other machine's attempt was left alone.
        expect(facilitator.settlements).to.equal(settlements);
        expect((await ask(signature)).status).to.equal(200);
        expect(await charged()).to.equal(PRICE);
      });

      it("a process that is killed while a patient facilitator settles knows on the same machine that the owner of the attempt is dead, and settles soon", async () => {
        const signature = await killed();
        await run(PATIENT);
        expect(await settledAfter()).to.be.lessThan(LIMIT_MS);
        goOn();
        expect((await ask(signature)).status).to.equal(200);
        expect(await charged()).to.equal(PRICE);
      });
    });

    it("a process that is killed after the payment was noted, before the answer, gives the same answer later", async () => {
      databaseUrl = await (await postgresServer()).createDatabase();
      const signature = await signed();
      // The answer needs the log's proof: held up by a lock, while the payment itself is committed.
      const lock = new pg.Client({ connectionString: databaseUrl });
      await lock.connect();
      facilitator.afterVerify = async () => {
        await lock.query("begin");
        await lock.query("lock table log_entries in access exclusive mode");
      };
      try {
        await killedAt(signature, async () => {
          await until("the settlement", states, ([state]) => state === "settled");
          expect(await states()).to.deep.equal(["settled"]);
        });
      } finally {
        // The lock ends with it.
        await lock.end();
      }
      await recovers(signature);
    });
  });
});
