/** A node that is away, behind, or on another chain: the chain is the judge, so nothing is decided without it. */
import { expect } from "chai";
import { approvePermit2 } from "../../support/dollars.ts";
import { expectProblem, expectStatus, insisted, retryAfter } from "../../support/http.ts";
import { testFacilitator } from "../../support/paymentFacilitator.ts";
import { testPaidService, testPaidWorld, testSale } from "../../support/payments.ts";
import { walletOf } from "../../support/service.ts";
import { testGate } from "../../support/serviceProcess.ts";
import { until } from "../../support/until.ts";
import { STATE_SELECTORS, WAYS } from "../../support/x402.ts";

for (const way of WAYS)
  describe(`a purchase by ${way.title} whose node`, () => {
    const world = testPaidWorld();
    const facilitator = testFacilitator(world);
    const gate = testGate(world);
    before(() => approvePermit2(world, [walletOf(world)]));
    const service = testPaidService(world, () => ({ FACILITATOR_URL: facilitator.url, RPC_URL: gate.url }));
    const { ask, state, charged, outcome } = testSale(service, way);

    const away = () => {
      throw new Error("away");
    };
    async function isUnavailable(): Promise<void> {
      const answer = expectProblem(await ask(), 503, "upstream_unavailable");
      expect(retryAfter(answer)).to.be.greaterThan(0);
    }
    async function isDeliveredOnce(): Promise<void> {
      expectStatus(await insisted(() => ask()), 200);
      expect(await charged()).to.equal(way.price);
    }

    it("a purchase whose node is away when the payment comes is not charged, and nothing is stored", async () => {
      // Reports are still computed: the token alone cannot be asked.
      gate.before = (method, params) => {
        if (method === "eth_call" && (params[0] as any).data.startsWith(STATE_SELECTORS[way.method])) away();
        return undefined;
      };
      await isUnavailable();
      expect(await outcome()).to.deep.equal([undefined, 0n]);
      gate.before = () => undefined;
      await isDeliveredOnce();
    });

    it("a purchase whose node is away after it was settled is delivered when the node is back", async () => {
      facilitator.afterSettle = async () => {
        gate.before = away;
      };
      await isUnavailable();
      expect(await outcome()).to.deep.equal(["settling", way.price]);
      gate.before = () => undefined;
      await isDeliveredOnce();
    });

    it("a purchase whose node does not know the settlement's block, as after a reorganization, waits until it does", async () => {
      let looks = 0;
      gate.instead = (method) => {
        if (method === "eth_getLogs") return [];
        if (method !== "eth_getTransactionReceipt") return undefined;
        looks++;
        return null;
      };
      const asked = ask();
      await until("the charge", charged);
      const before = looks;
      await until("two more looks", () => looks >= before + 2);
      expect(await state()).to.equal("settling");
      gate.instead = () => undefined;
      expect((await asked).status).to.equal(200);
      await isDeliveredOnce();
    });

    it("a purchase whose node is behind the settlement asks for no second one that could be charged", async () => {
      let stale: string | undefined;
      facilitator.afterVerify = async () => {
        stale = `0x${(await world.provider.getBlockNumber()).toString(16)}`;
        // From here on it shows the world as it was before the settlement.
        gate.instead = (method) => {
          if (method === "eth_getTransactionReceipt") return null;
          return method === "eth_blockNumber" ? stale : undefined;
        };
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

    it("a purchase whose node serves another chain decides nothing", async () => {
      gate.instead = (method) => (method === "eth_chainId" ? "0x1" : undefined);
      await service.restart();
      await isUnavailable();
      expect(await state()).to.equal(undefined);
      gate.instead = () => undefined;
      await isDeliveredOnce();
    });
  });
