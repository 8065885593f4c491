/**
 * Permit2: one contract keeps the nonces of all tokens as bits, and emits nothing when one is used. So a payment is
 * looked for among the token's transfers from payer to payee, and `permit2Settlement.ts` says whether a transaction
 * used this very nonce for one of them. Cancelling a nonce does emit an event.
 */
import { Contract, type JsonRpcProvider, zeroPadValue } from "ethers";
import { upstream } from "../../chain/rpc.ts";
import { nonceBytes } from "./authorization.ts";
import { eventsSince, sameAddress, TRANSFER } from "./chainEvents.ts";
import { PERMIT2, PERMIT2_ABI } from "./permit2Contracts.ts";
import { noncesPaidBy, type Payment, paymentsMade } from "./permit2Settlement.ts";
import type { Method, NamedAuthorization, Transferred, Wanted } from "./transferMethod.ts";

const INVALIDATION = PERMIT2_ABI.getEvent("UnorderedNonceInvalidation")!.topicHash;

/** For nodes that are behind; a transfer in time is in a block by the authorization's end. */
const SILENT_AFTER_SECONDS = 120;

export const PERMIT2_TRANSFERS: Method = {
  silentAfterSeconds: SILENT_AFTER_SECONDS,
  isUsed,
  transferIn,
  async endOf(node, wanted, head) {
    const { asset, payer, payTo, amount } = wanted;
    const seen = new Set<string>();
    // Both in one question: a node that shows the cancellation shows every transfer before it.
    const filter = { address: [asset, PERMIT2], topics: [[TRANSFER, INVALIDATION], zeroPadValue(payer, 32)] };
    for await (const { address, topics, data, transactionHash, blockNumber } of eventsSince(
      node,
      wanted.unusedAtBlock,
      head,
      filter,
    )) {
      if (topics[0] === INVALIDATION) {
        if (sameAddress(address, PERMIT2) && covers(data, wanted.nonce))
          return { state: "spent_otherwise", blockNumber };
        continue;
      }
      const isAgreed =
        sameAddress(address, asset) &&
        topics[2] === zeroPadValue(payTo, 32).toLowerCase() &&
        BigInt(data) === BigInt(amount);
      if (!isAgreed || seen.has(transactionHash)) continue;
      seen.add(transactionHash);
      const transferred = await transferIn(node, transactionHash, wanted);
      // Its block went away between the two questions.
      if (transferred === null) return null;
      if (transferred) return { state: "paid", ...transferred };
    }
    return null;
  },
};

/** Word and bit of a nonce in its owner's bitmap. */
function placeOf(nonce: string): { word: bigint; bit: bigint } {
  const value = BigInt(nonceBytes(nonce));
  return { word: value >> 8n, bit: 1n << (value & 0xffn) };
}

async function isUsed(
  node: JsonRpcProvider,
  { payer, nonce }: NamedAuthorization,
  blockTag: number,
): Promise<boolean> {
  const { word, bit } = placeOf(nonce);
  const bitmap: bigint = await upstream("authorization", () =>
    new Contract(PERMIT2, PERMIT2_ABI, node).getFunction("nonceBitmap").staticCall(payer, word, { blockTag }),
  );
  return (bitmap & bit) !== 0n;
}

/** Whether an invalidation is of this nonce; one may be of up to 256. */
function covers(data: string, nonce: string): boolean {
  const { word, bit } = placeOf(nonce);
  const event = BigInt(data);
  return event >> 256n === word && (event & bit) !== 0n;
}

async function transferIn(
  node: JsonRpcProvider,
  transactionHash: string,
  wanted: Wanted,
): Promise<Transferred | false | null> {
  const seen = await paymentsIn(node, transactionHash, wanted);
  if (seen === null) return null;
  const { nonces, blockNumber, blockHash } = seen;
  return nonces.has(wanted.nonce) && { transactionHash, blockNumber, blockHash };
}

/**
 * What a transaction did for a payer and a payee, in payments of one amount.
 * @returns null where the transaction is in no block
 * @throws UpstreamUnavailable
 */
export async function paymentsIn(node: JsonRpcProvider, transactionHash: string, payment: Payment) {
  const [receipt, transaction] = await Promise.all([
    upstream("receipt", () => node.getTransactionReceipt(transactionHash)),
    upstream("transaction", () => node.getTransaction(transactionHash)),
  ]);
  if (receipt === null || transaction === null) return null;
  const { blockNumber, blockHash, logs } = receipt;
  const wasSpentHere = async (nonce: string) => {
    const named = { ...payment, nonce };
    return !(await isUsed(node, named, blockNumber - 1)) && isUsed(node, named, blockNumber);
  };
  // One that reverted has no events.
  const call = { to: transaction.to, data: transaction.data, logs };
  const nonces = await noncesPaidBy(call, payment, wasSpentHere);
  return {
    /** Nonces, as in the ledger, of the payments that can be identified. */
    nonces,
    /** How many payments there were, named or not. */
    made: paymentsMade(logs, payment),
    ...{ blockNumber, blockHash },
  };
}
