/** Whether a token and its chain have what a payment option claims of them. */
import { Contract, Interface, type JsonRpcProvider, TypedDataEncoder } from "ethers";
import { orNull, upstream } from "../../chain/rpc.ts";
import { chainIdOf, type PaymentOption } from "../settings/paymentOptions.ts";
import {
  EXACT_PERMIT2_PROXY,
  PERMIT2,
  PERMIT2_ABI,
  PROXY_ABI,
  WITNESS_TYPEHASH,
} from "./permit2Contracts.ts";

export type OptionClaims = Pick<PaymentOption, "network" | "asset" | "transferMethod" | "name" | "version">;

const TOKEN_ABI = new Interface([
  "function balanceOf(address account) view returns (uint256)",
  "function authorizationState(address authorizer, bytes32 nonce) view returns (bool)",
  "function nonces(address owner) view returns (uint256)",
  "function eip712Domain() view returns (bytes1 fields, string name, string version, uint256 chainId, address verifyingContract, bytes32 salt, uint256[] extensions)",
  "function DOMAIN_SEPARATOR() view returns (bytes32)",
]);
const NOBODY = "0x0000000000000000000000000000000000000001";
const NONCE = `0x${"00".repeat(32)}`;

/** @returns sentences about the token; none where everything is there @throws UpstreamUnavailable */
export async function offerFaults(node: JsonRpcProvider, option: OptionClaims): Promise<string[]> {
  // Nothing there, no such function and a revert are all the same here: null.
  const ask = (address: string, abi: Interface, name: string, args: readonly unknown[] = []) =>
    upstream("option", () =>
      orNull(() => new Contract(address, abi, node).getFunction(name).staticCall(...args)),
    );
  const token = (name: string, args?: readonly unknown[]) => ask(option.asset, TOKEN_ABI, name, args);
  if ((await token("balanceOf", [NOBODY])) === null) return ["there is no token at this address"];
  const faults: string[] = [];
  const say = (isThere: boolean, fault: string) => {
    if (!isThere) faults.push(fault);
  };
  if (option.transferMethod === "eip3009") {
    const answers = (await token("authorizationState", [NOBODY, NONCE])) !== null;
    say(answers, "the token does not answer about authorizations (EIP-3009)");
  } else {
    const keeps = (await ask(PERMIT2, PERMIT2_ABI, "nonceBitmap", [NOBODY, 0])) !== null;
    say(keeps, "Permit2 is not on this chain");
    const at = await ask(EXACT_PERMIT2_PROXY, PROXY_ABI, "PERMIT2");
    const witness = await ask(EXACT_PERMIT2_PROXY, PROXY_ABI, "WITNESS_TYPEHASH");
    const isProxy = at === PERMIT2 && witness === WITNESS_TYPEHASH;
    say(isProxy, "x402's proxy for exact Permit2 payments is not on this chain");
    if (option.name !== undefined)
      say(
        (await token("nonces", [NOBODY])) !== null,
        "the token has no EIP-2612 permits; leave out name and version",
      );
  }
  say(
    isDomain(option, await token("eip712Domain"), await token("DOMAIN_SEPARATOR")),
    "the token's EIP-712 domain has another name or version",
  );
  return faults;
}

/** Not every token tells its domain. One that does, by EIP-5267 or as a hash, is held to it. */
function isDomain(
  { network, asset, name, version }: OptionClaims,
  told: { readonly name: string; readonly version: string } | null,
  separator: string | null,
): boolean {
  if (name === undefined || version === undefined) return true;
  if (told !== null) return told.name === name && told.version === version;
  const domain = { name, version, chainId: chainIdOf(network), verifyingContract: asset };
  return separator === null || separator === TypedDataEncoder.hashDomain(domain);
}
