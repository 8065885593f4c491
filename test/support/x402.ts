/** What x402 sends, as tests read it and make it by hand. */
import { expect } from "chai";
import { type BaseWallet, Contract, hexlify, randomBytes, Signature, toBigInt, type Wallet } from "ethers";
import { authorizationOf, readPayment } from "../../api/payments/payload.ts";
import { PERMIT2_ABI } from "../../api/payments/permit2.ts";
import { EXACT_PERMIT2_PROXY, PERMIT2 } from "../../api/payments/typedData.ts";
import type { TransferMethod } from "../../api/settings/paymentOptions.ts";
import {
  CANCEL_AUTHORIZATION,
  dollarDomain,
  mined,
  PERMIT_WITNESS_TRANSFER,
  permit2Domain,
  TRANSFER_AUTHORIZATION,
  tokenOf,
} from "./dollars.ts";
import { type Answer, expectProblem } from "./http.ts";
import type { TestWorld } from "./world.ts";

/** A way of paying in the local world. */
export interface Way {
  readonly method: TransferMethod;
  readonly title: string;
  /** Of its token. */
  readonly symbol: "USDL" | "USDT";
  /** A cent, in raw units. */
  readonly price: bigint;
}

export const BY_EIP3009: Way = { method: "eip3009", title: "EIP-3009", symbol: "USDL", price: 10_000n };
export const BY_PERMIT2: Way = { method: "permit2", title: "Permit2", symbol: "USDT", price: 10n ** 16n };
/** Both ways; users of the world pay by Permit2 once they have approved it: `approvePermit2`. */
export const WAYS: readonly Way[] = [BY_EIP3009, BY_PERMIT2];

/** A cent, in raw units of the local dollar. */
export const PRICE = BY_EIP3009.price;

/** For the terms of a way. */
export const isBy =
  ({ method }: Way) =>
  ({ extra }: { extra?: Record<string, unknown> }): boolean =>
    (extra?.assetTransferMethod ?? "eip3009") === method;

/**
 * A payment for a challenge with another authorization than the official client's, rightly signed by its payer.
 * @param changes over an authorization that is valid for five minutes of the world's time
 */
export async function signByHand(
  world: TestWorld,
  challenge: Answer,
  payer: BaseWallet,
  changes: object = {},
  way = BY_EIP3009,
): Promise<string> {
  const { accepts, resource } = termsIn(challenge);
  const accepted = accepts.find(isBy(way));
  const byHand = way.method === "permit2" ? permit2ByHand : eip3009ByHand;
  const payload = await byHand(world, accepted, payer, changes);
  return encodeHeader({ x402Version: 2, resource, accepted, payload });
}

async function eip3009ByHand(world: TestWorld, accepted: any, payer: BaseWallet, changes: object) {
  const authorization = {
    from: payer.address,
    to: accepted.payTo,
    value: accepted.amount,
    validAfter: "0",
    validBefore: String(Math.floor(world.clock.now() / 1000) + 300),
    nonce: hexlify(randomBytes(32)),
    ...changes,
  };
  const domain = { ...dollarDomain(world), verifyingContract: accepted.asset };
  const signature = await payer.signTypedData(domain, TRANSFER_AUTHORIZATION, authorization);
  return { signature, authorization };
}

async function permit2ByHand(world: TestWorld, accepted: any, payer: BaseWallet, changes: object) {
  const permit2Authorization = {
    from: payer.address,
    permitted: { token: accepted.asset, amount: accepted.amount },
    spender: EXACT_PERMIT2_PROXY,
    nonce: toBigInt(randomBytes(32)).toString(),
    deadline: String(Math.floor(world.clock.now() / 1000) + 300),
    witness: { to: accepted.payTo, validAfter: "0" },
    ...changes,
  };
  const { from: _, ...signed } = permit2Authorization;
  const signature = await payer.signTypedData(permit2Domain(world), PERMIT_WITNESS_TRANSFER, signed);
  return { signature, permit2Authorization };
}

/** The payer takes an authorization back, by a transaction of their own. */
export async function cancelAuthorization(world: TestWorld, payer: Wallet, signature: string): Promise<void> {
  const { payload } = readPayment(signature);
  if ("permit2Authorization" in payload) {
    const nonce = BigInt(payload.permit2Authorization.nonce);
    const permit2 = new Contract(PERMIT2, ["function invalidateUnorderedNonces(uint256,uint256)"], payer);
    return mined(permit2, "invalidateUnorderedNonces", nonce >> 8n, 1n << (nonce & 255n));
  }
  const { from, nonce } = payload.authorization;
  const { r, s, v } = Signature.from(
    await payer.signTypedData(dollarDomain(world), CANCEL_AUTHORIZATION, { authorizer: from, nonce }),
  );
  await mined(tokenOf(world, "USDL", payer), "cancelAuthorization", from, nonce, v, r, s);
}

/** How calls begin by which the service asks whether an authorization is used. */
export const STATE_SELECTORS: Record<TransferMethod, string> = {
  eip3009: "0xe94a0102",
  permit2: PERMIT2_ABI.getFunction("nonceBitmap")!.selector,
};

/** The nonce of a payment as the ledger has it. */
export const nonceOf = (signature: string): string => authorizationOf(readPayment(signature)).nonce;

/** The JSON of one of x402's headers. */
export function decodeHeader(header: string | null): any {
  if (header === null) throw new Error("the answer has no such header");
  return JSON.parse(Buffer.from(header, "base64").toString("utf8"));
}

export const encodeHeader = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64");

/** What a 402 asks for. */
export const termsIn = ({ headers }: { headers: Headers }): any =>
  decodeHeader(headers.get("payment-required"));

/** The receipt that came with what was paid for. */
export const receiptIn = ({ headers }: { headers: Headers }): any =>
  decodeHeader(headers.get("payment-response"));

/** The 402 that says in body and header why a payment was not taken. */
export function expectUnpaid(answer: Answer, paymentError: string): Answer {
  expectProblem(answer, 402, "payment_required", { paymentError });
  expect(termsIn(answer).error).to.equal(paymentError);
  return answer;
}
