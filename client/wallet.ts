/**
 * The wallet's side, for users without a wallet library: any EIP-1193 provider, such as a browser's wallet or a node with
 * open accounts. Keys stay in the wallet.
 */
import { z } from "zod";
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

const Answer = z.object({
  result: z.unknown().optional(),
  error: z.looseObject({ code: z.number(), message: z.string() }).nullish(),
});

/** @param ask reaches the server @throws Error with the server's message, and its `code` as EIP-1193 has it */
export function walletOver(url: string, ask: typeof fetch): WalletProvider {
  return {
    async request({ method, params = [] }) {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
      const answer = await ask(url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
      });
      const { result, error } = Answer.parse(await answer.json());
      if (error != null)
        throw Object.assign(new Error(error.message), { code: error.code, data: error.data });
      return result;
    },
  };
}
