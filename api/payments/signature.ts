/** Whose signature it is: an account's own, or that of a contract wallet, which only its chain can judge. */
import {
  AbiCoder,
  Interface,
  isCallException,
  type JsonRpcProvider,
  recoverAddress,
  TypedDataEncoder,
} from "ethers";
import { orElse } from "../../attestor/values/orElse.ts";
import { UpstreamUnavailable } from "../../chain/chainErrors.ts";
import { upstream } from "../../chain/rpc.ts";
import { chainIdOf } from "../settings/paymentOptions.ts";
import type { Payment } from "./payload.ts";
import type { Requirements } from "./requirements.ts";
import { EIP3009_TYPES, PERMIT2, PERMIT2_TYPES } from "./typedData.ts";

/** The 32 bytes that end a signature which says how its wallet is deployed (ERC-6492). */
const ERC6492_SUFFIX = "6492".repeat(16);
const ERC1271 = new Interface([
  "function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)",
]);
const ERC1271_YES = "0x1626ba7e";

/** `own`: by the account's key, which is the account on every chain; `contract`: on that one chain alone. */
export type SignedBy = "own" | "contract";

/** A wallet that has signed. */
export interface Payer {
  /** EIP-55. */
  readonly address: string;
  /** CAIP-2: where it has signed. */
  readonly network: string;
  readonly signedBy: SignedBy;
}

/** A signature, and whose it says it is. */
export interface Signed {
  /** EIP-55. */
  readonly address: string;
  /** What was signed, 32 bytes. */
  readonly digest: string;
  readonly signature: string;
}

/** What the payer of a payment has signed. */
export function signedIn({ payload }: Payment, { asset, network, extra }: Requirements): Signed {
  const chainId = chainIdOf(network);
  const { signature } = payload;
  if ("authorization" in payload) {
    const { authorization } = payload;
    const named = { name: String(extra.name), version: String(extra.version) };
    const domain = { ...named, chainId, verifyingContract: asset };
    const digest = TypedDataEncoder.hash(domain, EIP3009_TYPES, authorization);
    return { address: authorization.from, digest, signature };
  }
  const { from, ...permit } = payload.permit2Authorization;
  const domain = { name: "Permit2", chainId, verifyingContract: PERMIT2 };
  return { address: from, digest: TypedDataEncoder.hash(domain, PERMIT2_TYPES, permit), signature };
}

/** Whether it is the signature of the account's own key; asks nobody. */
export function isOwn({ address, digest, signature }: Signed): boolean {
  return orElse(() => recoverAddress(digest, signature) === address, false);
}

/**
 * Whether a contract wallet calls the signature its own (ERC-1271); an account with delegated code (EIP-7702) counts as
 * one. Deploys no wallet to ask it: what has no code yet owns nothing here, and anybody could name it. Of a signature in
 * the form of ERC-6492 the inner one is asked about.
 * @throws UpstreamUnavailable when the node cannot be asked
 */
export async function isOfContract(
  provider: JsonRpcProvider,
  { address, digest, signature }: Signed,
): Promise<boolean> {
  const inner = innerOf(signature);
  if (inner === null || (await upstream("account", () => provider.getCode(address))) === "0x") return false;
  return saysYes(provider, address, ERC1271.encodeFunctionData("isValidSignature", [digest, inner]));
}

/** @returns null where it says that it is of ERC-6492 and is not */
function innerOf(signature: string): string | null {
  if (!signature.endsWith(ERC6492_SUFFIX)) return signature;
  try {
    const [, , inner] = AbiCoder.defaultAbiCoder().decode(
      ["address", "bytes", "bytes"],
      signature.slice(0, -ERC6492_SUFFIX.length),
    );
    return inner;
  } catch {
    return null;
  }
}

/** Several times what wallets need. Anybody can name a contract that burns all the gas that the node allows a call. */
const MOST_GAS = 5_000_000;

/** What nodes say of a call that ran and failed; ethers takes every error of a node for such a one. */
const RAN = /revert|out of gas|invalid (opcode|jump)|stack (under|over)flow|write protection/i;

/**
 * Whether the contract says yes; that it reverts, or answers otherwise, is a no.
 * @throws UpstreamUnavailable when the node did not run it; without its error, whose text holds the signature
 */
async function saysYes(provider: JsonRpcProvider, to: string, data: string): Promise<boolean> {
  const answer = await provider.call({ to, data, gasLimit: MOST_GAS }).catch((error: unknown) => {
    if (isCallException(error) && (error.data !== null || RAN.test(String(error.info?.error?.message))))
      return null;
    throw new UpstreamUnavailable("signature: the chain's RPC does not answer.");
  });
  return answer?.length === 66 && answer.startsWith(ERC1271_YES);
}
