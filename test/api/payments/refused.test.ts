/** Payments that are not taken: each with its documented answer, and nothing charged. */
import { expect } from "chai";
import { Signature, Wallet } from "ethers";
import { KeyWallet__factory } from "../../../types/contracts/factories/test/support/contracts/wallets/Wallets.sol/KeyWallet__factory.ts";
import { countOf } from "../../support/database.ts";
import { dollarDomain, income, mined, TRANSFER_AUTHORIZATION, tokenOf } from "../../support/dollars.ts";
import { expectProblem, paidWith } from "../../support/http.ts";
import { testPaidService, testPaidWorld, testPurchase } from "../../support/payments.ts";
import { cancelAuthorization, decodeHeader, encodeHeader, expectUnpaid } from "../../support/x402.ts";

describe("a payment", () => {
  const world = testPaidWorld();
  const service = testPaidService(world);
  const purchase = testPurchase(service);
  const { buyer, charged } = purchase;

  /** A payment for the body, as the official client makes it. */
  const payment = async (): Promise<any> => decodeHeader(await purchase.sign());
  /** The same with another authorization, rightly signed by the wallet. */
  async function signed(changes: object, wallet: { signTypedData: Wallet["signTypedData"] } = buyer.wallet) {
    const given = await payment();
    const authorization = { ...given.payload.authorization, ...changes };
    const signature = await wallet.signTypedData(dollarDomain(world), TRANSFER_AUTHORIZATION, authorization);
    return { ...given, payload: { signature, authorization } };
  }
  async function refused(value: unknown, paymentError: string): Promise<void> {
    const signature = typeof value === "string" ? value : encodeHeader(value);
    expectUnpaid(await service.verify(purchase.body, signature), paymentError);
    expect(await charged()).to.equal(0n);
    expect(await countOf(service.server.service.db, "payments")).to.equal(0);
  }
  const now = () => Math.floor(Date.now() / 1000);

  it("a payment that is no payment at all is malformed", async () => {
    for (const garbage of [
      "garbage!",
      "AAAA",
      encodeHeader("text"),
      encodeHeader(null),
      encodeHeader([]),
      encodeHeader({ x402Version: 2 }),
      encodeHeader({ ...(await payment()), x402Version: 1 }),
      encodeHeader({ ...(await payment()), accepted: "exact" }),
      encodeHeader({ ...(await payment()), resource: { url: "\ud800" } }),
      encodeHeader({ ...(await payment()), payload: { signature: "0x", authorization: {} } }),
      Buffer.from(`{"a":`.repeat(500)).toString("base64"),
      Buffer.alloc(9_500, "a").toString("base64"),
    ])
      await refused(garbage, "malformed");
  });

  it("a payment of a form that is no authorization of ours is malformed or unsupported", async () => {
    const given = await payment();
    await refused({ ...given, payload: { signature: "0x00", permit2Authorization: {} } }, "malformed");
    // Delegations (ERC-7710).
    await refused({ ...given, payload: { delegationManager: world.token("USDL") } }, "unsupported");
  });

  it("a payment that accepts other terms is not taken", async () => {
    const given = await payment();
    for (const changes of [
      { network: "eip155:1" },
      { asset: world.token("AAPLx") },
      { amount: "1" },
      { amount: "9999999" },
      { payTo: buyer.wallet.address },
      { maxTimeoutSeconds: 3_000_000 },
      { scheme: "upto" },
      { scheme: "\ud800" },
      { extra: { ...given.accepted.extra, name: "Other" } },
      { extra: { ...given.accepted.extra, more: 1 } },
    ])
      await refused({ ...given, accepted: { ...given.accepted, ...changes } }, "not_offered");
  });

  it("a payment without its quote, or with another's, is not taken", async () => {
    const given = await payment();
    const { quote, ...extra } = given.accepted.extra;
    await refused({ ...given, accepted: { ...given.accepted, extra } }, "not_offered");
    const another = { ...extra, quote: `job:${(await service.newJob()).jobId}` };
    await refused({ ...given, accepted: { ...given.accepted, extra: another } }, "other_purchase");
  });

  it("a payment made for another body is refused at the same price", async () => {
    const other = await payment();
    purchase.body = purchase.another();
    await refused(other, "other_purchase");
  });

  it("a payment made for another job or resource is refused at the same price", async () => {
    const [one, other] = [await service.newJob(), await service.newJob()];
    const forOne = await buyer.sign(await service.call(`/v1/jobs/${one.jobId}/report`));
    const forBody = await purchase.sign();
    // An edited quote without the edited resource is refused, too.
    const edited = decodeHeader(forOne);
    edited.accepted.extra.quote = `job:${other.jobId}`;
    for (const signature of [forOne, forBody, encodeHeader(edited)])
      expectUnpaid(
        await service.call(`/v1/jobs/${other.jobId}/report`, paidWith(signature)),
        "other_purchase",
      );
    await refused(forOne, "other_purchase");
  });

  it("a payment with a wrong signature is refused", async () => {
    const stranger = Wallet.createRandom();
    await refused(await signed({}, stranger), "wrong_signature");
    const given = await payment();
    for (const signature of [`0x${"11".repeat(65)}`, "0x1234"])
      await refused({ ...given, payload: { ...given.payload, signature } }, "wrong_signature");
  });

  for (const [what, paymentError, changes] of [
    ["of less than it says", "wrong_amount", () => ({ value: "1" })],
    ["of more than it says", "wrong_amount", () => ({ value: "10001" })],
    ["to another payee than it says", "wrong_payee", () => ({ to: buyer.wallet.address })],
    ["that has expired", "expired", () => ({ validBefore: String(now() - 1) })],
    ["that is about to expire", "expired", () => ({ validBefore: String(now() + 3) })],
    ["that is not valid yet", "not_yet_valid", () => ({ validAfter: String(now() + 120) })],
    ["that is valid for too long", "valid_too_long", () => ({ validBefore: String(now() + 5_000) })],
    ["that is valid by block numbers", "valid_too_long", () => ({ validBefore: String(2n ** 47n + 1_000n) })],
  ] as const)
    it(`a payment ${what} is refused, though well signed`, async () => {
      await refused(await signed(changes()), paymentError);
    });

  it("a payment from a payer without the money is refused", async () => {
    const poor = Wallet.createRandom();
    await refused(await signed({ from: poor.address }, poor), "insufficient_funds");
  });

  it("a payment from a contract wallet is refused where the token takes no such signatures", async () => {
    const wallet = await new KeyWallet__factory(buyer.wallet).deploy(buyer.wallet.address);
    const from = await (await wallet.waitForDeployment()).getAddress();
    await mined(tokenOf(world, "USDL", buyer.wallet), "transfer", from, 50_000n);
    await refused(await signed({ from }), "refused");
  });

  it("a payment whose authorization was cancelled is refused", async () => {
    const given = await payment();
    await cancelAuthorization(world, buyer.wallet, encodeHeader(given));
    await refused(given, "already_used");
  });

  it("a payment that was made on the chain before it was presented buys nothing: it may be anybody's", async () => {
    const given = await payment();
    const { from, to, value, validAfter, validBefore, nonce } = given.payload.authorization;
    const { r, s, v } = Signature.from(given.payload.signature);
    const args = [from, to, value, validAfter, validBefore, nonce, v, r, s];
    await mined(tokenOf(world, "USDL", buyer.wallet), "transferWithAuthorization", ...args);
    purchase.held = await income(world);
    await refused(given, "already_used");
  });

  it("a payment for a trade that cannot be judged is not asked for, and not taken", async () => {
    const given = encodeHeader(await payment());
    const unknown = { ...purchase.body, policyId: "NONE" };
    for (const signature of [undefined, given])
      expectProblem(await service.verify(unknown, signature), 422, "unknown_policy");
    expect((await service.verify({}, given)).body.code).to.equal("input_required");
    for (const body of ["", " ", "{}"]) {
      const empty = { method: "POST", body, headers: { "content-type": "text/plain" }, key: null };
      expect((await service.call("/a2mcp/verify", empty)).body.code).to.equal("input_required");
    }
    expect(await charged()).to.equal(0n);
  });

  it("a payment for a version that is not there is not taken", async () => {
    const path = await service.newReport();
    const signature = await buyer.sign(await service.call(path));
    expect((await service.call(`${path}?version=2`, paidWith(signature))).status).to.equal(404);
    expect(await charged()).to.equal(0n);
  });

  it("a payment for a job that has expired is not taken", async () => {
    const path = await service.newReport();
    const signature = await buyer.sign(await service.call(path));
    world.clock.advance(86_400_000);
    try {
      for (const init of [{}, paidWith(signature)])
        expectProblem(await service.call(path, init), 410, "job_expired");
    } finally {
      world.clock.advance(-86_400_000);
    }
    expect(await charged()).to.equal(0n);
  });
});
