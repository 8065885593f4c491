/** Whether an account signed an authorization, found out without a facilitator or a node. */
import { verifyTypedData } from "ethers";
import type { Payment, Requirements } from "./payload.ts";

const uint = (name: string) => ({ name, type: "uint256" });
const account = (name: string) => ({ name, type: "address" });

/** EIP-3009. */
const TYPES = {
  TransferWithAuthorization: [
    account("from"),
    account("to"),
    uint("value"),
    uint("validAfter"),
    uint("validBefore"),
    { name: "nonce", type: "bytes32" },
  ],
};

/** @returns false also for signatures of contract wallets, which only the chain can judge */
export function isSignedByPayer({ payload }: Payment, { asset, network, extra }: Requirements): boolean {
  const { signature, authorization } = payload;
  const domain = {
    name: String(extra.name),
    version: String(extra.version),
    chainId: network.slice("eip155:".length),
    verifyingContract: asset,
  };
  try {
    return verifyTypedData(domain, TYPES, authorization, signature) === authorization.from;
  } catch {
    return false;
  }
}
