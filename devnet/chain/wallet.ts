/** eth_sendTransaction: signs for the open development accounts, so that what is journaled is a signed transaction. */
import { type TransactionLike, toBigInt, toNumber, Wallet } from "ethers";
import { localAccounts } from "../accounts.ts";
import { CHAIN_ID } from "./engine.ts";
import { RPC, RpcError } from "./errors.ts";
import type { ChainNode } from "./node.ts";

/**
 * Fills what the request leaves open (nonce, gas, fees) and signs it.
 * @param request the one parameter of eth_sendTransaction
 * @throws RpcError `invalidParams` when it is invalid or `from` is no open account
 */
export async function signForAccount(node: Pick<ChainNode, "read">, request: unknown): Promise<string> {
  if (typeof request !== "object" || request === null || Array.isArray(request))
    throw new RpcError(RPC.invalidParams, "eth_sendTransaction takes one transaction object");
  const fields = request as Record<string, unknown>;
  const from = typeof fields.from === "string" ? fields.from.toLowerCase() : undefined;
  const account = localAccounts().all.find(({ address }) => address.toLowerCase() === from);
  if (account === undefined)
    throw new RpcError(
      RPC.invalidParams,
      `the chain holds no key of ${String(fields.from)}; sign the transaction yourself`,
    );

  const nonce = fields.nonce ?? (await node.read("eth_getTransactionCount", [account.address, "latest"]));
  const gas = fields.gas ?? fields.gasLimit ?? (await enoughGas(node, fields));
  const baseFee = toBigInt((await node.read("eth_gasPrice", [])) as string);
  try {
    const transaction: TransactionLike = {
      to: (fields.to as string | null | undefined) ?? null,
      data: (fields.input ?? fields.data ?? "0x") as string,
      value: (fields.value ?? 0) as string,
      nonce: toNumber(nonce as string),
      gasLimit: toBigInt(gas as string | bigint),
      chainId: CHAIN_ID,
      ...(fields.accessList === undefined ? {} : { accessList: fields.accessList as [] }),
      ...fees(fields, baseFee),
    };
    if (fields.chainId !== undefined && toNumber(fields.chainId as string) !== CHAIN_ID)
      throw new Error(`the transaction is for chain ${String(fields.chainId)}, this one is ${CHAIN_ID}`);
    return await new Wallet(account.privateKey).signTransaction(transaction);
  } catch (error) {
    throw new RpcError(RPC.invalidParams, `not a transaction: ${(error as Error).message}`);
  }
}

/**
 * A quarter more than the estimate, as in wallets. An estimate within the second of another trade's block does not know
 * that the pool will record its price in the next one.
 */
async function enoughGas(node: Pick<ChainNode, "read">, fields: object): Promise<bigint> {
  return (toBigInt((await node.read("eth_estimateGas", [fields])) as string) * 5n) / 4n;
}

function fees(fields: Record<string, unknown>, gasPrice: bigint): TransactionLike {
  if (fields.gasPrice !== undefined && fields.maxFeePerGas === undefined)
    return {
      gasPrice: fields.gasPrice as string,
      ...(fields.accessList === undefined ? { type: 0 } : { type: 1 }),
    };
  const tip =
    fields.maxPriorityFeePerGas === undefined ? 1n : toBigInt(fields.maxPriorityFeePerGas as string);
  const cap =
    fields.maxFeePerGas === undefined ? gasPrice * 2n + tip : toBigInt(fields.maxFeePerGas as string);
  return { type: 2, maxFeePerGas: cap, maxPriorityFeePerGas: tip };
}
