/** The connection as Ignition wants it: its transactions are signed by one account of ours, never by the node. */
import { type JsonRpcProvider, toBigInt, toNumber } from "ethers";
import type { AdminAccount } from "../accounts/accounts.ts";
import { broadcast } from "../transactions/send.ts";

type Request = { readonly method: string; readonly params?: readonly unknown[] | object };

export function ignitionProvider(provider: JsonRpcProvider, account: AdminAccount, chainId: number) {
  return {
    async request({ method, params = [] }: Request): Promise<unknown> {
      if (method === "eth_accounts") return [account.address];
      if (method !== "eth_sendTransaction") return await provider.send(method, params as unknown[]);
      const [fields] = params as [Record<string, string>];
      const transaction = {
        chainId,
        from: account.address,
        to: fields.to ?? null,
        data: fields.data ?? "0x",
        nonce: toNumber(fields.nonce ?? 0),
        gasLimit: toBigInt(fields.gas ?? 0),
        maxFeePerGas: toBigInt(fields.maxFeePerGas ?? fields.gasPrice ?? 0),
        maxPriorityFeePerGas: toBigInt(fields.maxPriorityFeePerGas ?? fields.gasPrice ?? 0),
      };
      const raw = await account.sign(transaction);
      return raw === null ? await account.send(transaction) : await broadcast(provider, raw);
    },
  };
}
