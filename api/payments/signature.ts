/** Whether an account signed an authorization, found out without a facilitator or a node. */
import { type TypedDataField, verifyTypedData } from "ethers";
import { chainIdOf } from "../settings/paymentOptions.ts";
import type { Payment, Requirements } from "./payload.ts";
import { PERMIT2 } from "./permit2Contracts.ts";

const uint = (name: string) => ({ name, type: "uint256" });
const account = (name: string) => ({ name, type: "address" });

const EIP3009_TYPES = {
  TransferWithAuthorization: [
    account("from"),
    account("to"),
    uint("value"),
    uint("validAfter"),
    uint("validBefore"),
    { name: "nonce", type: "bytes32" },
  ],
};

/** The witness is x402's: payee and beginning. */
const PERMIT2_TYPES = {
  PermitWitnessTransferFrom: [
    { name: "permitted", type: "TokenPermissions" },
    account("spender"),
    uint("nonce"),
    uint("deadline"),
    { name: "witness", type: "Witness" },
  ],
  TokenPermissions: [account("token"), uint("amount")],
  Witness: [account("to"), uint("validAfter")],
};

/** @returns false also for signatures of contract wallets, which only the chain can judge */
export function isSignedByPayer({ payload }: Payment, { asset, network, extra }: Requirements): boolean {
  const chainId = chainIdOf(network);
  if ("authorization" in payload) {
    const domain = {
      name: String(extra.name),
      version: String(extra.version),
      chainId,
      verifyingContract: asset,
    };
    const { authorization, signature } = payload;
    return isSigned(domain, EIP3009_TYPES, authorization, signature, authorization.from);
  }
  const { permit2Authorization, signature } = payload;
  const domain = { name: "Permit2", chainId, verifyingContract: PERMIT2 };
  const { from, ...signed } = permit2Authorization;
  return isSigned(domain, PERMIT2_TYPES, signed, signature, from);
}

function isSigned(
  domain: object,
  types: Record<string, TypedDataField[]>,
  value: Record<string, unknown>,
  signature: string,
  by: string,
): boolean {
  try {
    return verifyTypedData(domain, types, value, signature) === by;
  } catch {
    return false;
  }
}
