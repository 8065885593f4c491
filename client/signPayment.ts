/**
 * Signs a payment of x402's scheme `exact`, by EIP-3009 or Permit2, for wallets that sign typed data. What is signed moves
 * exactly the price, once, until the terms' time is over.
 */
import {
  EIP3009_TYPES,
  EXACT_PERMIT2_PROXY,
  members,
  PERMIT2,
  PERMIT2_TYPES,
} from "../api/payments/typedData.ts";
import type { PaymentChallenge, PaymentRequirements } from "./payment.ts";

/** Typed data as wallets take it (EIP-712, `eth_signTypedData_v4`), its domain's type included. */
export interface TypedData {
  readonly domain: Readonly<Record<string, unknown>>;
  readonly types: Readonly<Record<string, { name: string; type: string }[]>>;
  readonly primaryType: string;
  readonly message: Readonly<Record<string, unknown>>;
}

/** A wallet that pays. An account of viem is one as it is. */
export interface PaymentSigner {
  /** `0x` and 40 hexadecimal digits. */
  readonly address: string;
  signTypedData(data: TypedData): Promise<string>;
}

/** What the user allows for one payment. */
export interface PaymentLimit {
  /** CAIP-2, such as `eip155:56`. */
  readonly network: string;
  /** The token's contract. */
  readonly asset: string;
  /** Raw units that it may cost at most. */
  readonly maxAmount: bigint | string;
  /** Longest validity of the authorization in seconds (3,600): until then it can be cashed, even after the call failed. */
  readonly maxSeconds?: number;
  /** The one recipient who may be paid, in any letter case; anybody by default. */
  readonly payTo?: string;
}

/** Nothing was signed: what the service asks for is not what the user allows. */
export class PaymentNotAllowed extends Error {
  /**
   * `not_offered`: not this token on this network. `other_method`: neither by Permit2 nor by EIP-3009 with the token's
   * EIP-712 domain.
   * `too_expensive`: for more than `maxAmount`. `too_long`: not for a whole number of seconds from 1 to `maxSeconds`.
   * `other_recipient`: to what is no address, or not to `payTo`.
   */
  readonly code: "not_offered" | "too_expensive" | "too_long" | "other_recipient" | "other_method";

  constructor(code: PaymentNotAllowed["code"], message: string) {
    super(`${message} Nothing was signed.`);
    this.name = "PaymentNotAllowed";
    this.code = code;
  }
}

export interface PaymentDeps {
  /** Unix seconds. */
  readonly now: number;
  /** 32 random bytes: the authorization's nonce, by either method. */
  readonly nonce: Uint8Array;
}

/** As long as the service's terms can be. */
const MAX_SECONDS = 3_600;

/** Clocks differ a little. */
const BACKDATED_SECONDS = 600;

const EIP3009_DOMAIN = members(
  "string name",
  "string version",
  "uint256 chainId",
  "address verifyingContract",
);
const PERMIT2_DOMAIN = members("string name", "uint256 chainId", "address verifyingContract");

/**
 * @param limit the one token that may be paid with, how much of it, for how long, and to whom
 * @returns what `paymentSignature` of the call takes
 * @throws PaymentNotAllowed before anything is signed; the signer's errors
 */
export async function signedPayment(
  challenge: PaymentChallenge,
  signer: PaymentSigner,
  limit: PaymentLimit,
  { now, nonce }: PaymentDeps,
): Promise<object> {
  const accepted = allowed(challenge, limit);
  const validity = {
    validAfter: String(Math.max(0, now - BACKDATED_SECONDS)),
    end: String(now + accepted.maxTimeoutSeconds),
  };
  const number = `0x${Array.from(nonce, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
  const sign = methodOf(accepted) === "permit2" ? byPermit2 : byEip3009;
  const payload = await sign(accepted, signer, validity, number);
  return { x402Version: 2, resource: challenge.resource, accepted, payload };
}

/** Unix seconds, decimal. */
interface Validity {
  readonly validAfter: string;
  readonly end: string;
}

async function byEip3009(
  accepted: PaymentRequirements,
  signer: PaymentSigner,
  { validAfter, end }: Validity,
  nonce: string,
): Promise<object> {
  const authorization = {
    from: signer.address,
    to: accepted.payTo,
    value: accepted.amount,
    validAfter,
    validBefore: end,
    nonce,
  };
  const { name, version } = accepted.extra ?? {};
  const signature = await signer.signTypedData({
    domain: { name, version, chainId: chainIdOf(accepted), verifyingContract: accepted.asset },
    types: { EIP712Domain: EIP3009_DOMAIN, ...EIP3009_TYPES },
    primaryType: "TransferWithAuthorization",
    message: authorization,
  });
  return { signature, authorization };
}

async function byPermit2(
  accepted: PaymentRequirements,
  signer: PaymentSigner,
  { validAfter, end }: Validity,
  nonce: string,
): Promise<object> {
  const permit = {
    permitted: { token: accepted.asset, amount: accepted.amount },
    spender: EXACT_PERMIT2_PROXY,
    nonce: BigInt(nonce).toString(),
    deadline: end,
    witness: { to: accepted.payTo, validAfter },
  };
  const signature = await signer.signTypedData({
    domain: { name: "Permit2", chainId: chainIdOf(accepted), verifyingContract: PERMIT2 },
    types: { EIP712Domain: PERMIT2_DOMAIN, ...PERMIT2_TYPES },
    primaryType: "PermitWitnessTransferFrom",
    message: permit,
  });
  return { signature, permit2Authorization: { from: signer.address, ...permit } };
}

function allowed({ accepts }: PaymentChallenge, limit: PaymentLimit): PaymentRequirements {
  const { network, asset, maxAmount } = limit;
  const inToken = accepts.filter(
    (offer) =>
      offer.scheme === "exact" &&
      offer.network === network &&
      offer.asset.toLowerCase() === asset.toLowerCase() &&
      /^[0-9]{1,78}$/.test(offer.amount),
  );
  if (inToken.length === 0)
    throw new PaymentNotAllowed("not_offered", `The service takes no payment in ${asset} on ${network}.`);
  // EIP-3009 needs no approval before.
  const terms =
    inToken.find((offer) => methodOf(offer) === "eip3009") ??
    inToken.find((offer) => methodOf(offer) === "permit2");
  if (terms === undefined)
    throw new PaymentNotAllowed(
      "other_method",
      "The service takes this token neither by Permit2 nor by EIP-3009 with the token's EIP-712 domain.",
    );
  if (BigInt(terms.amount) > BigInt(maxAmount))
    throw new PaymentNotAllowed(
      "too_expensive",
      `It costs ${terms.amount} raw units, more than ${maxAmount}.`,
    );
  holdWindow(terms, limit);
  holdRecipient(terms, limit);
  return terms;
}

/** Any holder of an authorization can cash it until its end: years of it would outlive the purchase. */
function holdWindow({ maxTimeoutSeconds: seconds }: PaymentRequirements, { maxSeconds }: PaymentLimit) {
  const most = maxSeconds ?? MAX_SECONDS;
  if (!Number.isSafeInteger(seconds) || !(seconds >= 1 && seconds <= most))
    throw new PaymentNotAllowed(
      "too_long",
      `The authorization would be good for ${seconds} s, which is not 1 to ${most}.`,
    );
}

function holdRecipient({ payTo }: PaymentRequirements, limit: PaymentLimit) {
  if (!/^0x[0-9a-fA-F]{40}$/.test(payTo))
    throw new PaymentNotAllowed("other_recipient", "The terms name a recipient that is no address.");
  if (limit.payTo !== undefined && payTo.toLowerCase() !== limit.payTo.toLowerCase())
    throw new PaymentNotAllowed("other_recipient", `It is to be paid to ${payTo}, not to ${limit.payTo}.`);
}

const CHAIN = /^eip155:([1-9][0-9]{0,15})$/;

const chainIdOf = ({ network }: PaymentRequirements): number => Number(CHAIN.exec(network)?.[1]);

/** null: by a way that is not signed here, or that the terms do not say enough for. */
function methodOf({ network, extra }: PaymentRequirements): "eip3009" | "permit2" | null {
  if (!CHAIN.test(network)) return null;
  const method = extra?.assetTransferMethod ?? "eip3009";
  if (method === "permit2") return "permit2";
  const isNamed = typeof extra?.name === "string" && typeof extra.version === "string";
  return method === "eip3009" && isNamed ? "eip3009" : null;
}
