/** The local world's facilitator on its own: what it refuses, in x402's words, and what it settles once. */
import { expect } from "chai";
import { Wallet } from "ethers";
import { createLocalFacilitator, type LocalFacilitator } from "../../devnet/facilitator.ts";
import { approvePermit2, income } from "../support/dollars.ts";
import { testPaidWorld } from "../support/payments.ts";
import { walletOf } from "../support/service.ts";
import { cancelAuthorization, decodeHeader, encodeHeader, signByHand, WAYS } from "../support/x402.ts";

describe("the local facilitator", () => {
  const world = testPaidWorld();
  let facilitator: LocalFacilitator;
  before(async () => {
    facilitator = createLocalFacilitator({
      provider: world.provider,
      privateKey: world.accounts.facilitator.privateKey,
      chainId: world.deployment.chainId,
    });
    await approvePermit2(world, [walletOf(world)]);
  });

  for (const way of WAYS)
    describe(`by ${way.title}`, () => {
      const terms = () => ({
        scheme: "exact",
        network: "eip155:31337",
        asset: world.token(way.symbol),
        amount: String(way.price),
        payTo: world.accounts.payee.address,
        maxTimeoutSeconds: 300,
        extra:
          way.method === "permit2"
            ? { assetTransferMethod: "permit2" }
            : { name: "Local Dollar", version: "1" },
      });
      /** A payment for the terms, as a facilitator gets it. */
      async function signed(payer: Wallet = walletOf(world), changes: object = {}): Promise<any> {
        const challenge = { x402Version: 2, resource: { url: "http://127.0.0.1/x" }, accepts: [terms()] };
        const headers = new Headers({ "payment-required": encodeHeader(challenge) });
        return decodeHeader(await signByHand(world, { headers } as never, payer, changes, way));
      }
      const refused = async (payment: unknown, reason: string, asked: unknown = terms()) => {
        const held = await income(world, way);
        const verdict = { isValid: false, invalidReason: reason };
        expect(await facilitator.verify(payment, asked)).to.deep.equal(verdict);
        const { success, transaction, errorReason } = await facilitator.settle(payment, asked);
        expect({ success, transaction, errorReason }).to.deep.equal({
          success: false,
          transaction: "",
          errorReason: reason,
        });
        expect(await income(world, way)).to.equal(held);
      };

      it("settles a payment, and not again", async () => {
        const payment = await signed();
        const held = await income(world, way);
        const payer = walletOf(world).address;
        expect(await facilitator.verify(payment, terms())).to.deep.equal({ isValid: true, payer });
        const settled = await facilitator.settle(payment, terms());
        expect(settled).to.include({ success: true, network: "eip155:31337" });
        expect((await world.provider.getTransactionReceipt(settled.transaction))?.status).to.equal(1);
        expect(await income(world, way)).to.equal(held + way.price);
        await refused(payment, "nonce_already_used");
      });

      it("sends several at once, each with a nonce of its own account's", async () => {
        const held = await income(world, way);
        const payments = await Promise.all([1, 2, 3].map(() => signed()));
        const settled = await Promise.all(payments.map((payment) => facilitator.settle(payment, terms())));
        expect(settled.map(({ success }) => success)).to.deep.equal([true, true, true]);
        expect(await income(world, way)).to.equal(held + 3n * way.price);
      });

      it("refuses what is no payment, or for other terms", async () => {
        const payment = await signed();
        for (const nothing of [null, {}, { ...payment, payload: {} }])
          await refused(nothing, "invalid_payload");
        await refused(payment, "invalid_payload", { ...terms(), scheme: "upto" });
        await refused(payment, "network_mismatch", { ...terms(), network: "eip155:1" });
        await refused(payment, "wrong_amount", { ...terms(), amount: String(way.price + 1n) });
        await refused(payment, "wrong_payee", { ...terms(), payTo: walletOf(world, 1).address });
      });

      it("refuses another's signature, a cancelled nonce, and a payer without money or allowance", async () => {
        await refused(
          await signed(walletOf(world, 1), { from: walletOf(world).address }),
          "invalid_signature",
        );
        const cancelled = await signed();
        await cancelAuthorization(world, walletOf(world), encodeHeader(cancelled));
        await refused(cancelled, "nonce_already_used");
        await refused(await signed(Wallet.createRandom() as never), "insufficient_balance");
        if (way.method === "permit2")
          await refused(await signed(walletOf(world, 5)), "permit2_allowance_required");
      });
    });
});
