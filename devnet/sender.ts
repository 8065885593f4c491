/** Signs and mines transactions of one account, in order, without the round trips of a wallet. */
import {
  type ContractDeployTransaction,
  getCreateAddress,
  type Interface,
  type TransactionRequest,
  Wallet,
} from "ethers";
import { LocalBatch__factory } from "../types/contracts/factories/devnet/contracts/LocalBatch__factory.ts";
import type { LocalAccount } from "./accounts.ts";
import type { Chain } from "./chain/start.ts";

export type ChainAccess = Pick<Chain, "chainId" | "request" | "mine">;

/** More than any call of this world needs, and within the cap of a transaction (EIP-7825). */
const GAS_LIMIT = 10_000_000n;
/** The base fee of a chain this empty only falls. */
const FEE_CAP = 100_000_000_000n;

export interface Call {
  /** Null creates a contract. */
  readonly to: string | null;
  readonly data: string;
  readonly value?: bigint;
}

export interface Receipt {
  readonly transactionHash: string;
  readonly blockNumber: number;
  readonly succeeded: boolean;
  readonly logs: readonly { readonly address: string; readonly topics: readonly string[] }[];
}

export type Sender = ReturnType<typeof createSender>;

export function createSender(chain: ChainAccess, account: LocalAccount) {
  const wallet = new Wallet(account.privateKey);
  const nextNonce = async () =>
    Number(await chain.request("eth_getTransactionCount", [account.address, "latest"]));

  async function sign(calls: readonly Call[]): Promise<string[]> {
    const first = await nextNonce();
    return await Promise.all(
      calls.map(({ to, data, value = 0n }, index) =>
        wallet.signTransaction({
          type: 2,
          chainId: chain.chainId,
          nonce: first + index,
          to,
          data,
          value,
          gasLimit: GAS_LIMIT,
          maxFeePerGas: FEE_CAP,
          maxPriorityFeePerGas: 0n,
        }),
      ),
    );
  }

  async function send(call: Call): Promise<Receipt> {
    const [raw] = await sign([call]);
    const hash = (await chain.request("eth_sendRawTransaction", [raw])) as string;
    const receipt = await minedReceipt(chain, hash);
    if (!receipt.succeeded) throw new Error(await whyReverted(chain, account.address, call, hash));
    return receipt;
  }

  return {
    address: account.address,
    /** Signs calls with the next nonces, for a block that the caller mines. */
    sign,
    /** Mines a call in a block of its own. @throws Error when it reverts */
    send,
    /** Creates a contract. @returns its address */
    async deploy({ data }: Pick<ContractDeployTransaction, "data"> | TransactionRequest) {
      const nonce = await nextNonce();
      await send({ to: null, data: String(data) });
      return getCreateAddress({ from: account.address, nonce });
    },
  };
}

export function call(to: string, abi: Interface, name: string, args: readonly unknown[]): Call {
  return { to, data: abi.encodeFunctionData(name, args) };
}

const BATCH_ABI = LocalBatch__factory.createInterface();

/** Several calls as one, made by a LocalBatch contract in its own name. One that reverts does not stop the others. */
export function batch(address: string, calls: readonly Call[]): Call {
  return call(address, BATCH_ABI, "execute", [calls.map(({ to, data }) => ({ target: to, data }))]);
}

export function failedCalls({ logs }: Receipt): number {
  const topic = BATCH_ABI.getEvent("CallFailed").topicHash;
  return logs.filter(({ topics }) => topics[0] === topic).length;
}

/** Mines a batch. @throws Error when one of its calls reverts */
export async function sendBatch(sender: Sender, address: string, calls: readonly Call[]): Promise<void> {
  const failed = failedCalls(await sender.send(batch(address, calls)));
  if (failed > 0) throw new Error(`${failed} of ${calls.length} calls of a batch reverted`);
}

/** Calls a view and decodes its results. @throws RpcError when it reverts */
export async function view(
  chain: Pick<Chain, "request">,
  to: string,
  abi: Interface,
  name: string,
  args: readonly unknown[] = [],
) {
  const data = abi.encodeFunctionData(name, args);
  return abi.decodeFunctionResult(
    name,
    (await chain.request("eth_call", [{ to, data }, "latest"])) as string,
  );
}

export async function minedReceipt(chain: Pick<Chain, "request">, hash: string): Promise<Receipt> {
  const receipt = (await chain.request("eth_getTransactionReceipt", [hash])) as {
    blockNumber: string;
    status: string;
    logs: Receipt["logs"];
  };
  return {
    transactionHash: hash,
    blockNumber: Number(receipt.blockNumber),
    succeeded: receipt.status === "0x1",
    logs: receipt.logs,
  };
}

async function whyReverted(chain: ChainAccess, from: string, { to, data, value }: Call, hash: string) {
  try {
    await chain.request("eth_call", [
      { from, to: to ?? undefined, data, value: `0x${(value ?? 0n).toString(16)}` },
      "latest",
    ]);
    return `transaction ${hash} to ${to} reverted`;
  } catch (error) {
    return `transaction ${hash} to ${to} reverted: ${(error as Error).message}`;
  }
}
