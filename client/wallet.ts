/**
 * The wallet's side, for users without a wallet library: whatever speaks EIP-1193, as wallets in browsers and nodes with open
 * accounts do. Keys stay in the wallet.
 */
import type { PaymentSigner } from "./signPayment.ts";

/** EIP-1193. */
export interface WalletProvider {
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>;
}

/** @param address the wallet's account that signs */
export function signerOf(provider: WalletProvider, address: string): PaymentSigner {
  return {
    address,
    async signTypedData(data) {
      const signature = await provider.request({
        method: "eth_signTypedData_v4",
        params: [address, JSON.stringify(data)],
      });
      if (typeof signature !== "string")
        throw new TypeError("The wallet answered something else than a signature.");
      return signature;
    },
  };
}
