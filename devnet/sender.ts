/** Sends transactions of the local chain's open accounts, for which its node signs, and reads contracts. */
import { getAddress, type Interface, toQuantity } from "ethers";
import type { LocalAccount } from "./accounts.ts";
import { LOCAL_BATCH } from "./artifacts.ts";
import type { LocalNode, RpcRequest } from "./chain/node.ts";

/** More than any call of this world needs, and within the cap of a transaction (EIP-7825). */
const GAS_LIMIT = 10_000_000;

export interface Call {
  readonly to: string;
  readonly data: string;
}

export interface Receipt {
  readonly transactionHash: string;
  readonly blockNumber: number;
  readonly succeeded: boolean;
  /** EIP-55; null: no contract was created. */
  readonly contractAddress: string | null;
  readonly logs: readonly { readonly address: string; readonly topics: readonly string[] }[];
}

type Node = Pick<LocalNode, "request">;

export type Sender = ReturnType<typeof createSender>;

export function createSender(node: Node, { address }: Pick<LocalAccount, "address">) {
  async function mined(transaction: RpcRequest): Promise<Receipt> {
    const hash = (await node.request(transaction.method, transaction.params)) as string;
    const receipt = await receiptOf(node, hash);
    if (!receipt.succeeded) throw new Error(await whyReverted(node, transaction, hash));
    return receipt;
  }
  return {
    address,
    /** Mines a call in a block of its own. @throws Error when it reverts */
    send: (call: Call): Promise<Receipt> => mined(transactionOf(address, call)),
    /** Creates a contract. @returns its address, EIP-55 */
    async deploy({ data }: { readonly data?: unknown }): Promise<string> {
      const { contractAddress } = await mined(transactionOf(address, { data: String(data) }));
      return contractAddress!;
    },
  };
}

/** The request that sends a call, or creates a contract where nobody is called. */
export function transactionOf(from: string, call: Call | Pick<Call, "data">): RpcRequest {
  return { method: "eth_sendTransaction", params: [{ from, gas: toQuantity(GAS_LIMIT), ...call }] };
}

export function call(to: string, abi: Interface, name: string, args: readonly unknown[]): Call {
  return { to, data: abi.encodeFunctionData(name, args) };
}

/** Several calls as one, made by a LocalBatch contract in its own name. One that reverts does not stop the others. */
export function batch(address: string, calls: readonly Call[]): Call {
  return call(address, LOCAL_BATCH.abi, "execute", [calls.map(({ to, data }) => ({ target: to, data }))]);
}

export function failedCalls({ logs }: Receipt): number {
  const topic = LOCAL_BATCH.abi.getEvent("CallFailed")!.topicHash;
  return logs.filter(({ topics }) => topics[0] === topic).length;
}

/** Mines a batch. @throws Error when one of its calls reverts */
export async function sendBatch(sender: Sender, address: string, calls: readonly Call[]): Promise<void> {
  const failed = failedCalls(await sender.send(batch(address, calls)));
  if (failed > 0) throw new Error(`${failed} of ${calls.length} calls of a batch reverted`);
}

/** Calls a view and decodes its results. @throws Error when it reverts */
export async function view(
  node: Node,
  to: string,
  abi: Interface,
  name: string,
  args: readonly unknown[] = [],
) {
  const data = abi.encodeFunctionData(name, args);
  const result = await node.request("eth_call", [{ to, data }, "latest"]);
  return abi.decodeFunctionResult(name, result as string);
}

export async function receiptOf(node: Node, hash: string): Promise<Receipt> {
  const receipt = (await node.request("eth_getTransactionReceipt", [hash])) as {
    blockNumber: string;
    status: string;
    contractAddress: string | null;
    logs: Receipt["logs"];
  } | null;
  if (receipt === null) throw new Error(`transaction ${hash} waits for one before it`);
  return {
    transactionHash: hash,
    blockNumber: Number(receipt.blockNumber),
    succeeded: receipt.status === "0x1",
    contractAddress: receipt.contractAddress === null ? null : getAddress(receipt.contractAddress),
    logs: receipt.logs,
  };
}

async function whyReverted(node: Node, { params }: RpcRequest, hash: string): Promise<string> {
  try {
    await node.request("eth_call", [params[0], "latest"]);
    return `transaction ${hash} reverted`;
  } catch (error) {
    return `transaction ${hash} reverted: ${(error as Error).message}`;
  }
}
