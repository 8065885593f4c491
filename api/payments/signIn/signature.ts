/** Whose signature stands under a message: an account's own, or that of a contract wallet, which only its chain can judge. */
import {
  AbiCoder,
  hashMessage,
  Interface,
  isCallException,
  type JsonRpcProvider,
  verifyMessage,
} from "ethers";
import { UpstreamUnavailable } from "../../../chain/chainErrors.ts";
import { assertChain, upstream } from "../../../chain/rpc.ts";
import type { SignInMessage } from "./message.ts";

/** The 32 bytes that end a signature which says how its wallet is deployed (ERC-6492). */
const ERC6492_SUFFIX = "6492".repeat(16);
const ERC1271 = new Interface([
  "function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)",
]);
const ERC1271_YES = "0x1626ba7e";

/** `own`: by the account's key, which is the account on every chain; `contract`: on that one chain alone. */
export type SignedBy = "own" | "contract";

/**
 * Deploys no wallet to ask it: who has paid from one has it deployed, and of a signature in the form of ERC-6492 the
 * inner one is asked about.
 * @param node of the message's chain
 * @returns null when it is not the address's signature
 * @throws UpstreamUnavailable when it could be a contract's and the chain cannot be asked
 */
export async function signerKindOf(
  { address, text, signature }: SignInMessage,
  node: { readonly provider: JsonRpcProvider; readonly chainId: number },
): Promise<SignedBy | null> {
  if (isOwn(address, text, signature)) return "own";
  const inner = innerOf(signature);
  if (inner === null) return null;
  const { provider } = node;
  await assertChain(provider, node.chainId);
  const code = await upstream("account", () => provider.getCode(address));
  if (code === "0x") return null;
  const data = ERC1271.encodeFunctionData("isValidSignature", [hashMessage(text), inner]);
  return (await saysYes(provider, address, data)) ? "contract" : null;
}

function isOwn(address: string, text: string, signature: string): boolean {
  try {
    return verifyMessage(text, signature) === address;
  } catch {
    return false;
  }
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

/** What nodes say of a call that ran and failed; ethers takes every error of a node for such a one. */
const RAN = /revert|out of gas|invalid (opcode|jump)|stack (under|over)flow|write protection/i;

/**
 * Whether the contract says yes; that it reverts, or answers otherwise, is a no.
 * @throws UpstreamUnavailable when the node did not run it; without its error, whose text holds the signature
 */
async function saysYes(provider: JsonRpcProvider, to: string, data: string): Promise<boolean> {
  const answer = await provider.call({ to, data }).catch((error: unknown) => {
    if (isCallException(error) && (error.data !== null || RAN.test(String(error.info?.error?.message))))
      return null;
    throw new UpstreamUnavailable("signature: the chain's RPC does not answer.");
  });
  return answer?.length === 66 && answer.startsWith(ERC1271_YES);
}
