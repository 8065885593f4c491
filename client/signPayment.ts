/**
 * Signs a payment of x402's scheme `exact` by EIP-3009, for wallets that sign typed data. What is signed moves exactly the
 * price, once, until the terms' time is over. Permit2, and other schemes, are for the official client (`@x402/fetch`).
 */
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
   * `not_offered`: not this token on this network. `other_method`: not by EIP-3009, or without the token's EIP-712 domain.
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
  /** 32 random bytes: the authorization's nonce. */
  readonly nonce: Uint8Array;
}

/** As long as the service's terms can be. */
const MAX_SECONDS = 3_600;

/** Clocks differ a little. */
const BACKDATED_SECONDS = 600;

const DOMAIN_TYPE = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" },
];

const AUTHORIZATION_TYPE = [
  { name: "from", type: "address" },
  { name: "to", type: "address" },
  { name: "value", type: "uint256" },
  { name: "validAfter", type: "uint256" },
  { name: "validBefore", type: "uint256" },
  { name: "nonce", type: "bytes32" },
];

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
  const authorization = {
    from: signer.address,
    to: accepted.payTo,
    value: accepted.amount,
    validAfter: String(Math.max(0, now - BACKDATED_SECONDS)),
    validBefore: String(now + accepted.maxTimeoutSeconds),
    nonce: `0x${Array.from(nonce, (byte) => byte.toString(16).padStart(2, "0")).join("")}`,
  };
  const signature = await signer.signTypedData({
    domain: domainOf(accepted),
    types: { EIP712Domain: DOMAIN_TYPE, TransferWithAuthorization: AUTHORIZATION_TYPE },
    primaryType: "TransferWithAuthorization",
    message: authorization,
  });
  return { x402Version: 2, resource: challenge.resource, accepted, payload: { signature, authorization } };
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
  const terms = inToken.find(({ extra }) => (extra?.assetTransferMethod ?? "eip3009") === "eip3009");
  if (terms === undefined)
    throw new PaymentNotAllowed("other_method", "The service takes this token by another way than EIP-3009.");
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

function domainOf({ network, asset, extra }: PaymentRequirements) {
  const [, chainId = ""] = /^eip155:([1-9][0-9]{0,15})$/.exec(network) ?? [];
  const { name, version } = extra ?? {};
  if (chainId === "" || typeof name !== "string" || typeof version !== "string")
    throw new PaymentNotAllowed("other_method", "The terms do not name the token's EIP-712 domain.");
  return { name, version, chainId: Number(chainId), verifyingContract: asset };
}
