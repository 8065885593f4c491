/** Payments that the client signs: read by the service's own code, and never beyond the limit. */
import { expect } from "chai";
import { verifyTypedData, Wallet } from "ethers";
import fc from "fast-check";
import { privateKeyToAccount } from "viem/accounts";
import { readPayment } from "../../api/payments/payload.ts";
import { EXACT_PERMIT2_PROXY, PERMIT2 } from "../../api/payments/typedData.ts";
import {
  type PaymentChallenge,
  type PaymentLimit,
  PaymentNotAllowed,
  type PaymentSigner,
  signerOf,
} from "../../client/client.ts";
import { signedPayment, type TypedData } from "../../client/signPayment.ts";
import { PERMIT_WITNESS_TRANSFER, TRANSFER_AUTHORIZATION } from "../support/dollars.ts";

const ASSET = "0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0";
const PAYEE = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const wallet = new Wallet(`0x${"5".repeat(64)}`);
const NONCE = new Uint8Array(32).fill(7);
const NOW = 1_800_000_000;
const limit: PaymentLimit = { network: "eip155:56", asset: ASSET.toLowerCase(), maxAmount: 10_000n };

const terms = {
  scheme: "exact",
  network: "eip155:56",
  asset: ASSET,
  amount: "10000",
  payTo: PAYEE,
  maxTimeoutSeconds: 60,
  extra: { name: "Local Dollar", version: "1", quote: "quote_1" } as Record<string, unknown>,
};
const challenge = (...accepts: (typeof terms)[]): PaymentChallenge => ({
  x402Version: 2,
  resource: { url: "http://127.0.0.1:3000/a2mcp/verify" },
  accepts,
});

/** A wallet that remembers what it was asked to sign. */
function signer() {
  const asked: TypedData[] = [];
  return {
    asked,
    address: wallet.address,
    signTypedData: (data: TypedData) => {
      asked.push(data);
      const { EIP712Domain: _, ...types } = data.types;
      return wallet.signTypedData(data.domain, types, data.message);
    },
  };
}

const sign = (given: PaymentChallenge, by: PaymentSigner = signer(), within = limit) =>
  signedPayment(given, by, within, { now: NOW, nonce: NONCE });

async function refusal(given: PaymentChallenge, within = limit): Promise<string> {
  const by = signer();
  const error = await sign(given, by, within).then(
    () => expect.fail("signed"),
    (thrown: unknown) => thrown,
  );
  expect(error).to.be.instanceOf(PaymentNotAllowed);
  expect(by.asked).to.deep.equal([]);
  return (error as PaymentNotAllowed).code;
}

describe("a payment that the client signs", () => {
  it("authorizes exactly the price to the payee, for as long as the terms say, and names what is bought", async () => {
    const payment = readPayment(await sign(challenge(terms)));
    expect(payment.accepted).to.deep.equal(terms);
    if (!("authorization" in payment.payload)) throw new Error("not EIP-3009");
    const { authorization, signature } = payment.payload;
    expect(authorization).to.deep.equal({
      from: wallet.address,
      to: PAYEE,
      value: "10000",
      validAfter: String(NOW - 600),
      validBefore: String(NOW + 60),
      nonce: `0x${"07".repeat(32)}`,
    });
    const domain = { name: "Local Dollar", version: "1", chainId: 56, verifyingContract: ASSET };
    const by = verifyTypedData(domain, TRANSFER_AUTHORIZATION, authorization, signature);
    expect(by).to.equal(wallet.address);
  });

  it("is never for more than the limit, for any price of the service", async () => {
    await fc.assert(
      fc.asyncProperty(fc.bigInt(0n, 2n ** 80n), fc.bigInt(0n, 2n ** 80n), async (price, most) => {
        const given = challenge({ ...terms, amount: String(price) });
        const within = { ...limit, maxAmount: most };
        if (price > most) {
          expect(await refusal(given, within)).to.equal("too_expensive");
          return;
        }
        const by = signer();
        await sign(given, by, within);
        expect(by.asked.map(({ message }) => message.value)).to.deep.equal([String(price)]);
      }),
      { numRuns: 50 },
    );
  });

  it("is not made in another token, on another chain, by another scheme, or for what is no amount", async () => {
    const amounts = [{ amount: "-1" }, { amount: "1e3" }];
    for (const other of [{ asset: PAYEE }, { network: "eip155:1" }, { scheme: "upto" }, ...amounts])
      expect(await refusal(challenge({ ...terms, ...other }))).to.equal("not_offered");
  });

  it("is good for no longer than the limit says, an hour by default, for any time that the service asks", async () => {
    const refused = [undefined, NaN, Infinity, 0, -1, 1.5, 3_601, 86_400 * 365, 2 ** 60];
    for (const seconds of refused) {
      const given = challenge({ ...terms, maxTimeoutSeconds: seconds as number });
      expect(await refusal(given), String(seconds)).to.equal("too_long");
    }
    const seconds = fc.integer({ min: -5, max: 100_000 });
    await fc.assert(
      fc.asyncProperty(seconds, fc.option(seconds, { nil: undefined }), async (asked, most) => {
        const given = challenge({ ...terms, maxTimeoutSeconds: asked });
        const within = most === undefined ? limit : { ...limit, maxSeconds: most };
        if (asked < 1 || asked > (most ?? 3_600)) {
          expect(await refusal(given, within)).to.equal("too_long");
          return;
        }
        const by = signer();
        await sign(given, by, within);
        expect(by.asked.map(({ message }) => message.validBefore)).to.deep.equal([String(NOW + asked)]);
      }),
      { numRuns: 100 },
    );
    expect(await refusal(challenge(terms), { ...limit, maxSeconds: NaN })).to.equal("too_long");
  });

  it("is made to no other recipient than the limit names, and never to what is no address", async () => {
    const near = [PAYEE.slice(0, -1), `${PAYEE}0`, ` ${PAYEE}`, `${PAYEE}\n`, PAYEE.slice(2)];
    for (const payTo of ["", "0x", ...near])
      expect(await refusal(challenge({ ...terms, payTo })), payTo).to.equal("other_recipient");
    expect(await refusal(challenge(terms), { ...limit, payTo: ASSET })).to.equal("other_recipient");
    const by = signer();
    await sign(challenge(terms), by, { ...limit, payTo: PAYEE.toLowerCase() });
    expect(by.asked.map(({ message }) => message.to)).to.deep.equal([PAYEE]);
  });

  it("authorizes the same by Permit2, for x402's proxy alone, where the terms name that method", async () => {
    const permit2 = { ...terms, extra: { assetTransferMethod: "permit2", quote: "quote_1" } };
    const payment = readPayment(await sign(challenge(permit2)));
    expect(payment.accepted).to.deep.equal(permit2);
    if (!("permit2Authorization" in payment.payload)) throw new Error("not Permit2");
    const { permit2Authorization, signature } = payment.payload;
    expect(permit2Authorization).to.deep.equal({
      from: wallet.address,
      permitted: { token: ASSET, amount: "10000" },
      spender: EXACT_PERMIT2_PROXY,
      nonce: BigInt(`0x${"07".repeat(32)}`).toString(),
      deadline: String(NOW + 60),
      witness: { to: PAYEE, validAfter: String(NOW - 600) },
    });
    const { from: _, ...permit } = permit2Authorization;
    const domain = { name: "Permit2", chainId: 56, verifyingContract: PERMIT2 };
    expect(verifyTypedData(domain, PERMIT_WITNESS_TRANSFER, permit, signature)).to.equal(wallet.address);
    expect(await refusal(challenge({ ...permit2, amount: "10001" }))).to.equal("too_expensive");
    // Where both ways are offered it takes the one that needs no approval.
    expect(await sign(challenge(permit2, terms)))
      .to.have.property("accepted")
      .that.deep.equals(terms);
  });

  it("is made by no other method, nor for a token whose typed data the terms do not name", async () => {
    const other = { ...terms, extra: { ...terms.extra, assetTransferMethod: "approval" } };
    expect(await refusal(challenge(other))).to.equal("other_method");
    expect(await refusal(challenge({ ...terms, extra: {} }))).to.equal("other_method");
  });

  it("is signed by an account of viem as it is, and by a wallet of ethers as the README says", async () => {
    const account = privateKeyToAccount(wallet.privateKey as `0x${string}`);
    const byEthers: PaymentSigner = {
      address: wallet.address,
      signTypedData: ({ domain, types: { EIP712Domain: _, ...types }, message }) =>
        wallet.signTypedData(domain, types, message),
    };
    const permit2 = { ...terms, extra: { assetTransferMethod: "permit2" } };
    const byViem: PaymentSigner = account;
    for (const asked of [terms, permit2] as (typeof terms)[]) {
      const own = await sign(challenge(asked));
      for (const other of [byViem, byEthers]) expect(await sign(challenge(asked), other)).to.deep.equal(own);
    }
  });

  it("is asked of an EIP-1193 wallet as eth_signTypedData_v4, in JSON", async () => {
    const calls: unknown[] = [];
    const provider = {
      request: async ({ method, params }: { method: string; params?: readonly unknown[] }) => {
        calls.push(method, params?.[0], JSON.parse(String(params?.[1])).primaryType);
        return `0x${"1".repeat(130)}`;
      },
    };
    await sign(challenge(terms), signerOf(provider, PAYEE));
    expect(calls).to.deep.equal(["eth_signTypedData_v4", PAYEE, "TransferWithAuthorization"]);
    const silent = { request: async () => null };
    const error = await sign(challenge(terms), signerOf(silent, PAYEE)).catch((thrown) => thrown);
    expect(error).to.be.instanceOf(TypeError);
  });
});
