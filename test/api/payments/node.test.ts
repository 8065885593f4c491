/** A node that is away, behind, or on another chain: the chain is the judge, so nothing is decided without it. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { localPayments } from "../../../devnet/facilitator.ts";
import type { Answer } from "../../support/http.ts";
import { type Gate, startGate } from "../../support/paidProcess.ts";
import { databaseFile } from "../../support/paymentDatabase.ts";
import { startFacilitator, type TestFacilitator } from "../../support/paymentFacilitator.ts";
import {
  approvePermit2,
  buyerOf,
  createPaidWorld,
  income,
  nonceOf,
  STATE_SELECTORS,
  verify,
  verifyBody,
  WAYS,
} from "../../support/payments.ts";
import { type Service, startService, walletOf } from "../../support/service.ts";
import { testWorld } from "../../support/world.ts";

for (const way of WAYS)
  describe(`a purchase by ${way.title} whose node`, function () {
    this.timeout(120_000);
    const world = testWorld(createPaidWorld);
    let facilitator: TestFacilitator;
    let gate: Gate;
    let service: Service;
    let body: Record<string, unknown>;
    let signature: string;
    let held: bigint;
    let bodies = 0;
    const database = databaseFile();
    before(async () => {
      if (way.method === "permit2") await approvePermit2(world, [walletOf(world)]);
      facilitator = await startFacilitator(world);
      gate = await startGate(world);
      service = await start();
    });
    after(async () => {
      await service.stop();
      await gate.stop();
      await facilitator.stop();
      await database.remove();
    });
    beforeEach(async () => {
      body = verifyBody(service, { amountInRaw: String(250_000_000 + ++bodies) });
      signature = await buyerOf(service, 0, way).sign(await verify(service, body));
      held = await income(world, way);
    });
    afterEach(() => {
      gate.before = () => undefined;
      gate.instead = () => undefined;
      facilitator.afterVerify = facilitator.afterSettle = async () => {};
    });

    const start = () =>
      startService(
        world,
        database.url,
        { PAYMENT_PHASE: "paid", FACILITATOR_URL: facilitator.url, RPC_URL: gate.url },
        { payments: localPayments },
      );
    const charged = async () => (await income(world, way)) - held;
    const away = () => {
      throw new Error("away");
    };
    async function isUnavailable(): Promise<void> {
      const answer = await verify(service, body, signature);
      expect([answer.status, answer.body.code]).to.deep.equal([503, "upstream_unavailable"]);
      expect(Number(answer.headers.get("retry-after"))).to.be.greaterThan(0);
    }
    async function isDeliveredOnce(): Promise<void> {
      let answer: Answer = await verify(service, body, signature);
      for (let attempt = 0; [409, 503].includes(answer.status) && attempt < 50; attempt++) {
        await sleep(200);
        answer = await verify(service, body, signature);
      }
      expect(answer.status, answer.text).to.equal(200);
      expect(await charged()).to.equal(way.price);
    }
    const rows = () =>
      service.server.db
        .selectFrom("payments")
        .select("state")
        .where("nonce", "=", nonceOf(signature))
        .execute();

    it("is away when the payment comes is not charged, and nothing is stored", async () => {
      // Reports are still computed: the token alone cannot be asked.
      gate.before = (method, params) => {
        if (method === "eth_call" && (params[0] as any).data.startsWith(STATE_SELECTORS[way.method])) away();
        return undefined;
      };
      await isUnavailable();
      expect(await rows()).to.deep.equal([]);
      expect(await charged()).to.equal(0n);
      gate.before = () => undefined;
      await isDeliveredOnce();
    });

    it("is away after it was settled is delivered when the node is back", async () => {
      facilitator.afterSettle = async () => {
        gate.before = away;
      };
      await isUnavailable();
      expect(await rows()).to.deep.equal([{ state: "settling" }]);
      expect(await charged()).to.equal(way.price);
      gate.before = () => undefined;
      await isDeliveredOnce();
    });

    it("does not know the settlement's block, as after a reorganisation, waits until it does", async () => {
      gate.instead = (method) =>
        method === "eth_getTransactionReceipt" ? null : method === "eth_getLogs" ? [] : undefined;
      const asked = verify(service, body, signature);
      while ((await charged()) === 0n) await sleep(20);
      await sleep(1_500);
      expect(await rows()).to.deep.equal([{ state: "settling" }]);
      gate.instead = () => undefined;
      expect((await asked).status).to.equal(200);
      await isDeliveredOnce();
    });

    it("is behind the settlement asks for no second one that could be charged", async () => {
      let stale: string | undefined;
      facilitator.afterVerify = async () => {
        stale = `0x${(await world.provider.getBlockNumber()).toString(16)}`;
        // From here on it shows the world as it was before the settlement.
        gate.instead = (method) =>
          method === "eth_getTransactionReceipt" ? null : method === "eth_blockNumber" ? stale : undefined;
        gate.before = (method, params) => {
          if (method === "eth_getBlockByNumber" && params[0] === "latest") params[0] = stale;
          return undefined;
        };
      };
      await isUnavailable();
      facilitator.afterVerify = async () => {};
      expect(await charged()).to.equal(way.price);
      gate.before = () => undefined;
      gate.instead = () => undefined;
      await isDeliveredOnce();
    });

    it("serves another chain decides nothing", async () => {
      await service.stop();
      gate.instead = (method) => (method === "eth_chainId" ? "0x1" : undefined);
      service = await start();
      await isUnavailable();
      expect(await rows()).to.deep.equal([]);
      gate.instead = () => undefined;
      await isDeliveredOnce();
    });
  });
