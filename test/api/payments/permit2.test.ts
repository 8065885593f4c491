/** What is Permit2's own: approvals, cancelled nonces, batches, contract wallets, and nonces spent otherwise. */
import { expect } from "chai";
import { AbiCoder, Contract, concat, MaxUint256, toBeHex, Wallet } from "ethers";
import { authorizationOf, keyOf, readPayment } from "../../../api/payments/payload.ts";
import { PROXY_ABI } from "../../../api/payments/permit2.ts";
import { EXACT_PERMIT2_PROXY, PERMIT2 } from "../../../api/payments/typedData.ts";
import { createSender } from "../../../devnet/sender.ts";
import { LocalBatch__factory } from "../../../types/contracts/factories/devnet/contracts/LocalBatch__factory.ts";
import { KeyWallet__factory } from "../../../types/contracts/factories/test/support/contracts/wallets/Wallets.sol/KeyWallet__factory.ts";
import { rowsOf } from "../../support/database.ts";
import {
  approvePermit2,
  income,
  mined,
  PERMIT_WITNESS_TRANSFER,
  permit2Domain,
  tokenOf,
} from "../../support/dollars.ts";
import { type Answer, expectStatus } from "../../support/http.ts";
import { testFacilitator } from "../../support/paymentFacilitator.ts";
import { buyerWith, stateOf, testPaidService, testPaidWorld, testPurchase } from "../../support/payments.ts";
import { walletOf } from "../../support/service.ts";
import {
  BY_EIP3009,
  BY_PERMIT2,
  cancelAuthorization,
  decodeHeader,
  encodeHeader,
  expectUnpaid,
  receiptIn,
  signByHand,
  termsIn,
} from "../../support/x402.ts";

const { price } = BY_PERMIT2;

describe("a payment by Permit2", () => {
  const world = testPaidWorld();
  const facilitator = testFacilitator(world);
  const wallet = (index = 0) => walletOf(world, index);
  // The last users have not approved anything.
  before(() => approvePermit2(world, [0, 1, 2].map(wallet)));
  const service = testPaidService(world, () => ({ FACILITATOR_URL: facilitator.url }));
  const purchase = testPurchase(service, BY_PERMIT2);
  const { challenge, charged } = purchase;

  const token = (owner: Wallet) => tokenOf(world, "USDT", owner);
  const allowanceOf = (owner: Wallet): Promise<bigint> =>
    token(owner).getFunction("allowance").staticCall(owner.address, PERMIT2);
  const byHand = async (payer: Wallet, changes: object = {}, asked?: Answer) =>
    signByHand(world, asked ?? (await challenge()), payer, changes, BY_PERMIT2);
  async function refused(signature: string, paymentError: string): Promise<void> {
    expectUnpaid(await service.verify(purchase.body, signature), paymentError);
    expect(await charged()).to.equal(0n);
    expect(await stateOf(service, signature)).to.equal(undefined);
  }
  async function delivered(signature: string): Promise<Answer> {
    const answer = expectStatus(await service.verify(purchase.body, signature), 200);
    expect(await stateOf(service, signature)).to.equal("settled");
    return answer;
  }
  function read(signature: string) {
    const { payload } = readPayment(signature);
    if (!("permit2Authorization" in payload)) throw new Error("not by Permit2");
    return payload;
  }
  /** The call of the proxy that settles a payment. */
  function settling(given: string): { to: string; data: string } {
    const { permit2Authorization, signature } = read(given);
    const { from, permitted, nonce, deadline, witness } = permit2Authorization;
    const args = [{ permitted, nonce, deadline }, from, witness, signature];
    return { to: EXACT_PERMIT2_PROXY, data: PROXY_ABI.encodeFunctionData("settle", args) };
  }
  /** Calls in one transaction, by a contract of somebody else. One that reverts does not stop the others. */
  async function batched(calls: readonly { to: string; data: string }[]): Promise<string> {
    const all = calls.map(({ to, data }) => ({ target: to, data }));
    const data = LocalBatch__factory.createInterface().encodeFunctionData("execute", [all]);
    const sender = createSender(world.chain, world.accounts.publisher);
    return (await sender.send({ to: world.market.publisher, data })).transactionHash;
  }
  /** The payer spends the payment's nonce on a transfer to itself, which no event tells of. */
  async function spendOnOneself(payer: Wallet, signature: string): Promise<void> {
    const { from, ...given } = read(signature).permit2Authorization;
    const elsewhere = { ...given, witness: { ...given.witness, to: payer.address } };
    const signed = await payer.signTypedData(permit2Domain(world), PERMIT_WITNESS_TRANSFER, elsewhere);
    const proxy = new Contract(EXACT_PERMIT2_PROXY, PROXY_ABI, payer);
    await mined(proxy, "settle", elsewhere, payer.address, elsewhere.witness, signed);
  }

  describe("whose payer has not approved Permit2", () => {
    it("a payment by Permit2 whose payer has not approved it gets allowance_required; the same payload buys once it is approved, for exactly the price", async () => {
      const payer = wallet(6);
      const signature = await buyerWith(payer, BY_PERMIT2).sign(await challenge());
      await refused(signature, "allowance_required");
      await approvePermit2(world, [payer], price);
      await delivered(signature);
      expect(await charged()).to.equal(price);
      expect(await allowanceOf(payer)).to.equal(0n);
    });
  });

  describe("is refused", () => {
    it("a payment by Permit2 is refused by another transfer method than the accepted terms'", async () => {
      const asked = await challenge();
      const { accepts } = termsIn(asked);
      const ours = decodeHeader(await byHand(wallet(), {}, asked));
      const theirs = decodeHeader(await signByHand(world, asked, wallet(), {}, BY_EIP3009));
      await refused(encodeHeader({ ...ours, accepted: accepts[0] }), "unsupported");
      await refused(encodeHeader({ ...theirs, accepted: accepts[1] }), "unsupported");
      const delegation = { delegationManager: PERMIT2, permissionContext: "0x", delegator: PERMIT2 };
      const answer = await service.verify(purchase.body, encodeHeader({ ...ours, payload: delegation }));
      expectUnpaid(answer, "unsupported");
    });

    it("a payment by Permit2 is refused for another spender, token, amount, payee or time, though well signed", async () => {
      const payer = wallet();
      const now = Math.floor(Date.now() / 1000);
      const permitted = { token: world.token("USDT"), amount: String(price) };
      const to = world.accounts.payee.address;
      for (const [changes, paymentError] of [
        [{ spender: payer.address }, "unsupported"],
        [{ permitted: { ...permitted, token: world.token("USDL") } }, "wrong_token"],
        [{ permitted: { ...permitted, amount: "1" } }, "wrong_amount"],
        [{ permitted: { ...permitted, amount: String(price + 1n) } }, "wrong_amount"],
        [{ witness: { to: payer.address, validAfter: "0" } }, "wrong_payee"],
        [{ witness: { to, validAfter: String(now + 120) } }, "not_yet_valid"],
        [{ deadline: String(now - 1) }, "expired"],
        [{ deadline: String(now + 5_000) }, "valid_too_long"],
        [{ deadline: MaxUint256.toString() }, "valid_too_long"],
      ] as const)
        await refused(await byHand(payer, changes), paymentError);
    });

    it("a payment by Permit2 is refused with another's signature, and from a payer without the money", async () => {
      const stranger = wallet(1);
      await refused(await byHand(stranger, { from: wallet().address }), "wrong_signature");
      const poor = Wallet.createRandom().connect(world.provider) as unknown as Wallet;
      await refused(await byHand(poor), "insufficient_funds");
    });

    it("a payment by Permit2 is refused once its nonce is cancelled or used, by whomever", async () => {
      const payer = wallet();
      const cancelled = await byHand(payer);
      await cancelAuthorization(world, payer, cancelled);
      await refused(cancelled, "already_used");
      const made = await byHand(payer);
      await batched([settling(made)]);
      purchase.held = await income(world, BY_PERMIT2);
      await refused(made, "already_used");
    });
  });

  it("a payment by Permit2 has a name in the ledger that no EIP-3009 payment of the same number has", async () => {
    const [nonce, asked] = [toBeHex(123_456_789n, 32), await challenge()];
    const payer = wallet(1);
    const one = readPayment(await signByHand(world, asked, payer, { nonce }, BY_EIP3009));
    const other = readPayment(await byHand(payer, { nonce: "123456789" }, asked));
    expect(authorizationOf(one).nonce).to.equal(nonce);
    expect(authorizationOf(other).nonce).to.equal(`permit2:${nonce}`);
    expect(keyOf(one)).not.to.deep.equal(keyOf(other));
    await delivered(encodeHeader(one));
    purchase.body = purchase.another();
    const second = await byHand(payer, { nonce: "123456789" });
    expect(authorizationOf(readPayment(second)).nonce).to.equal(authorizationOf(other).nonce);
    await delivered(second);
  });

  for (const [whose, second] of [
    ["of two payers", 1],
    ["of one payer", 0],
  ] as const)
    it(`a payment by Permit2 is settled by a transaction that makes two, ${whose}, each by its own transfer`, async () => {
      const bodies = [purchase.body, purchase.another()];
      const signatures: string[] = [];
      for (const [index, body] of bodies.entries())
        signatures.push(await byHand(wallet(index === 0 ? 0 : second), {}, await service.verify(body)));
      let arrived = 0;
      let made: Promise<string> | undefined;
      // Both are written down when both are made at once; the facilitator names nothing.
      const all = Promise.withResolvers<void>();
      facilitator.beforeSettle = async () => {
        if (++arrived === signatures.length) all.resolve();
        await all.promise;
        made ??= batched(signatures.map(settling));
        await made;
      };
      facilitator.settleFault = "refuse";
      const answers = await Promise.all(
        signatures.map((signature, index) => service.verify(bodies[index] as object, signature)),
      );
      for (const answer of answers)
        expect(receiptIn(expectStatus(answer, 200)).transaction).to.equal(await made);
      const rows = await rowsOf(service.server.service.db, "payments", { transaction_hash: await made });
      expect(rows.map(({ state }) => state)).to.deep.equal(["settled", "settled"]);
      expect(new Set(rows.map(({ log_index }) => log_index)).size).to.equal(2);
      expect(await charged()).to.equal(2n * price);
    });

  describe("from a contract wallet", () => {
    let own: string;
    const owner = () => wallet(3);
    before(async () => {
      const deployed = await new KeyWallet__factory(owner()).deploy(owner().address);
      await deployed.waitForDeployment();
      own = await deployed.getAddress();
      const { interface: usdt } = token(owner());
      const approval = usdt.encodeFunctionData("approve", [PERMIT2, MaxUint256]);
      await (await deployed.call(world.token("USDT"), approval)).wait();
      await mined(token(owner()), "transfer", own, 10n * price);
    });
    /** As a wallet that does not exist yet signs (ERC-6492): with what would create it. */
    const wrapped = (signature: string) => {
      const given = decodeHeader(signature);
      const args = [owner().address, "0x1234", given.payload.signature];
      const creation = AbiCoder.defaultAbiCoder().encode(["address", "bytes", "bytes"], args);
      const signed = concat([creation, `0x${"6492".repeat(16)}`]);
      return encodeHeader({ ...given, payload: { ...given.payload, signature: signed } });
    };

    it("a payment by Permit2 from a contract wallet is made where the wallet says that the signature is its own (ERC-1271)", async () => {
      facilitator.verifyFault = "credulous";
      await refused(await byHand(wallet(4), { from: own }), "wrong_signature");
      facilitator.verifyFault = null;
      const signature = await byHand(owner(), { from: own });
      const first = await delivered(signature);
      await delivered(signature);
      // It is known when it signs anew, though the facilitator says that it has no money left.
      facilitator.verifyFault = "refuse";
      const again = await service.verify(purchase.body, await byHand(owner(), { from: own }));
      expect([again.status, again.body.jobId], again.text).to.deep.equal([200, first.body.jobId]);
      expect(await charged()).to.equal(price);
    });

    it("a payment by Permit2 from a contract wallet is not taken with a signature that would create the wallet first (ERC-6492)", async () => {
      await refused(wrapped(await byHand(owner(), { from: own })), "refused");
      const unborn = Wallet.createRandom().address;
      await mined(token(owner()), "transfer", unborn, 10n * price);
      // Nobody can say now who that address will be, the facilitator included.
      facilitator.verifyFault = "credulous";
      await refused(wrapped(await byHand(owner(), { from: unborn })), "wrong_signature");
    });
  });

  it("a payment by Permit2 is known where a stranger sends it first, in a batch with a permit that nobody signed", async () => {
    const signature = await byHand(wallet(0));
    facilitator.beforeSettle = async () => {
      const mine = settling(signature);
      const [permit, owner, witness] = PROXY_ABI.decodeFunctionData("settle", mine.data);
      const unsigned = { permitted: [...permit[0]], nonce: 4_242n << 8n, deadline: permit[2] };
      const data = PROXY_ABI.encodeFunctionData("settle", [unsigned, owner, [...witness], "0x00"]);
      await batched([mine, { to: Wallet.createRandom().address, data }]);
    };
    facilitator.settleFault = "refuse";
    expect((await service.verify(purchase.body, signature)).status).to.equal(200);
    expect([await stateOf(service, signature), await charged()]).to.deep.equal(["settled", price]);
  });

  // The last: block time never goes back.
  describe("whose facilitator lies", () => {
    it("a payment by Permit2 whose facilitator lies is not settled by the transaction of another payment, however often the facilitator names it", async () => {
      const payer = wallet();
      const paid = await delivered(await byHand(payer));
      const { transaction } = receiptIn(paid);
      purchase.body = purchase.another();
      const signature = await byHand(payer);
      facilitator.settleFault = "lie";
      facilitator.lie = transaction;
      expect((await service.verify(purchase.body, signature)).status).to.equal(503);
      expect(await stateOf(service, signature)).to.equal("settling");
      // Not even when its nonce is used up for something else.
      await spendOnOneself(payer, signature);
      await service.server.service.payments?.reconcile();
      expect(await stateOf(service, signature)).to.equal("settling");
      expect(await charged()).to.equal(price);
      // What leaves no event is known for sure some time after the authorization's end.
      const { deadline } = decodeHeader(signature).payload.permit2Authorization;
      for (const [state, seconds] of Object.entries({ settling: 60, expired: 121 })) {
        world.clock.set((Number(deadline) + seconds) * 1000);
        await world.tick(0);
        await service.server.service.payments?.reconcile();
        expect(await stateOf(service, signature)).to.equal(state);
      }
      world.clock.set(Date.now());
    });
  });
});
