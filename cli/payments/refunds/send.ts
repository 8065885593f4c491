/** Signs a refund's transfer with an operator's key and sends it: written down first, so that a crash pays nobody twice. */
import { Interface, type JsonRpcProvider, keccak256, type Wallet } from "ethers";
import { UpstreamUnavailable } from "../../../chain/chainErrors.ts";
import { upstream } from "../../../chain/rpc.ts";
import type { Database } from "../../../database/open.ts";
import { PlainError } from "../../console.ts";
import { nonceAt } from "./look.ts";
import { markSent, type RefundRow, type Signed } from "./rows.ts";

const TOKEN = new Interface(["function transfer(address to, uint256 amount) returns (bool)"]);
/** What a block may change between the estimate and the sending. */
const GAS_QUARTERS = 5n;

export const TRANSFER_METHOD = TOKEN.getFunction("transfer")!;

export const transferData = ({ payer, amount }: Pick<RefundRow, "payer" | "amount">): string =>
  TOKEN.encodeFunctionData(TRANSFER_METHOD, [payer, amount]);

/**
 * @param wallet of the row's sender
 * @param nonce the sender's, read before the chain was looked at for a transfer
 * @returns the transaction's hash
 * @throws PlainError where it cannot be signed or another is at it; UpstreamUnavailable
 */
export async function signAndSend(
  db: Database,
  node: JsonRpcProvider,
  chainId: number,
  row: RefundRow,
  wallet: Wallet,
  nonce: number,
): Promise<string> {
  const signed = await sign(node, chainId, row, wallet, nonce);
  if (!(await markSent(db, row, signed)))
    throw new PlainError("Another command is at this refund at the moment; run it again.");
  await broadcast(node, signed.raw);
  return signed.hash;
}

async function sign(
  node: JsonRpcProvider,
  chainId: number,
  row: RefundRow,
  wallet: Wallet,
  nonce: number,
): Promise<Signed> {
  const from = wallet.address;
  if ((await nonceAt(node, from, "pending")) !== nonce)
    throw new PlainError(
      `A transaction of ${from} is on its way; wait until it is mined, and run this again.`,
    );
  const call = { from, to: row.asset, data: transferData(row) };
  // The node's words may hold its address; what matters is that the token says no.
  const gas = await node.estimateGas(call).catch((error: unknown) => {
    if ((error as { code?: unknown }).code === "CALL_EXCEPTION") return null;
    throw new UpstreamUnavailable("gas: the chain's RPC does not answer.", { cause: error });
  });
  if (gas === null)
    throw new PlainError(
      `The token refuses this transfer from ${from}: has it the balance, and coins for the gas?`,
    );
  const fees = await upstream("fees", () => node.getFeeData());
  const cap = fees.maxFeePerGas ?? fees.gasPrice ?? 0n;
  const raw = await wallet.signTransaction({
    type: 2,
    chainId,
    nonce,
    to: row.asset,
    data: call.data,
    value: 0n,
    gasLimit: (gas * GAS_QUARTERS) / 4n,
    maxFeePerGas: cap,
    maxPriorityFeePerGas: fees.maxPriorityFeePerGas ?? cap,
  });
  return { raw, hash: keccak256(raw), nonce };
}

/** Hands a signed transaction to the node. One that has it already is content. @throws UpstreamUnavailable */
export async function broadcast(node: JsonRpcProvider, raw: string): Promise<void> {
  try {
    await node.send("eth_sendRawTransaction", [raw]);
  } catch (error) {
    const known = await node.getTransaction(keccak256(raw)).catch(() => null);
    if (known !== null) return;
    throw new UpstreamUnavailable(
      "The refund is signed and written down, and the node did not take it. Run the same command again.",
      { cause: error },
    );
  }
}
