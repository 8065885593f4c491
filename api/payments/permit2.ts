/**
 * Permit2: one contract keeps the nonces of all tokens as bits, and emits nothing when one is used. So a used nonce is
 * paid by a transfer that x402's proxy made as it was agreed on, and that no other payment has claimed: the ledger gives
 * each transfer away once. A transaction that calls the proxy itself names its nonce, and is of that one alone.
 * Cancelling a nonce does emit an event.
 */
import { Contract, Interface, id, type JsonRpcProvider, type Log } from "ethers";
import { orElse } from "../../attestor/values/orElse.ts";
import { upstream } from "../../chain/rpc.ts";
import {
  AUTHORIZATION_USED,
  eventsSince,
  isAgreed,
  type Method,
  sameAddress,
  TRANSFER,
  type Transfer,
  topicOf,
  type Use,
  type Wanted,
} from "./chainEvents.ts";
import { nonceBytes, type PaymentKey } from "./payload.ts";
import { EXACT_PERMIT2_PROXY, PERMIT2 } from "./typedData.ts";

export const PERMIT2_ABI = new Interface([
  "function nonceBitmap(address owner, uint256 wordPos) view returns (uint256)",
  "event UnorderedNonceInvalidation(address indexed owner, uint256 word, uint256 mask)",
]);

const PERMIT =
  "tuple(tuple(address token, uint256 amount) permitted, uint256 nonce, uint256 deadline) permit";
const WITNESS = "tuple(address to, uint256 validAfter) witness";

export const PROXY_ABI = new Interface([
  `function settle(${PERMIT}, address owner, ${WITNESS}, bytes signature)`,
  `function settleWithPermit(tuple(uint256 value, uint256 deadline, bytes32 r, bytes32 s, uint8 v) permit2612, ${PERMIT}, address owner, ${WITNESS}, bytes signature)`,
]);

/** The proxy emits one of these after each payment. They do not name it. */
const SETTLED: ReadonlySet<string> = new Set([id("Settled()"), id("SettledWithPermit()")]);

const INVALIDATION = PERMIT2_ABI.getEvent("UnorderedNonceInvalidation")!.topicHash;

/** For nodes that are behind; a transfer in time is in a block by the authorization's end. */
const SILENT_AFTER_SECONDS = 120;

export const PERMIT2_TRANSFERS: Method = {
  silentAfterSeconds: SILENT_AFTER_SECONDS,
  isUsed,
  transfersIn,
  async useOf(node, wanted, head): Promise<Use> {
    const { asset, payer } = wanted;
    const transactions = new Set<string>();
    let endedAtBlock: number | null = null;
    // Both in one question: a node that shows the cancellation shows every transfer before it.
    const filter = { address: [asset, PERMIT2], topics: [[TRANSFER, INVALIDATION], topicOf(payer)] };
    for await (const log of eventsSince(node, wanted.unusedAtBlock, head, filter)) {
      if (sameAddress(log.address, PERMIT2)) {
        if (!covers(log.data, wanted.nonce)) continue;
        endedAtBlock = log.blockNumber;
        break;
      }
      if (isAgreed(log, wanted)) transactions.add(log.transactionHash);
    }
    const found = await Promise.all(
      [...transactions].map((transaction) => transfersIn(node, transaction, wanted)),
    );
    // One whose block went away between the two questions may be in another now.
    if (found.includes(null)) endedAtBlock = null;
    return { transfers: found.flatMap((transfers) => transfers ?? []), endedAtBlock };
  },
};

/** Word and bit of a nonce in its owner's bitmap. */
function placeOf(nonce: string): { word: bigint; bit: bigint } {
  const value = BigInt(nonceBytes(nonce));
  return { word: value >> 8n, bit: 1n << (value & 0xffn) };
}

async function isUsed(
  node: JsonRpcProvider,
  { payer, nonce }: Pick<PaymentKey, "payer" | "nonce">,
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

async function transfersIn(
  node: JsonRpcProvider,
  transactionHash: string,
  wanted: Wanted,
): Promise<Transfer[] | null> {
  const [receipt, transaction] = await Promise.all([
    upstream("receipt", () => node.getTransactionReceipt(transactionHash)),
    upstream("transaction", () => node.getTransaction(transactionHash)),
  ]);
  if (receipt === null || transaction === null) return null;
  const named = nonceNamedBy(transaction);
  if (named !== null && named !== BigInt(nonceBytes(wanted.nonce))) return [];
  const { blockNumber, blockHash } = receipt;
  const namesNonce = named !== null;
  // What was made before the nonce was seen unused cannot be its own.
  if (!namesNonce && blockNumber <= wanted.unusedAtBlock) return [];
  // A transaction that reverted has no events.
  return transfersByProxy(receipt.logs, wanted.asset)
    .filter((log) => isAgreed(log, wanted))
    .map(({ index }) => ({ transactionHash, blockNumber, blockHash, logIndex: index, namesNonce }));
}

/** The nonce of a transaction that calls the proxy itself; null: it calls somebody else, who may call the proxy. */
function nonceNamedBy({ to, data }: { readonly to: string | null; readonly data: string }): bigint | null {
  if (to === null || !sameAddress(to, EXACT_PERMIT2_PROXY)) return null;
  const call = orElse(() => PROXY_ABI.parseTransaction({ data }), null);
  return call === null ? null : BigInt(call.args.permit.nonce);
}

/**
 * The transfers of a token that x402's proxy made in a transaction: it emits its event after each. One that EIP-3009's
 * event stands before is the payment of that authorization, and of no other.
 */
export function transfersByProxy(logs: readonly Log[], asset: string): Log[] {
  const made: Log[] = [];
  let last: Log | null = null;
  let isByEip3009 = false;
  for (const log of logs) {
    const [event = ""] = log.topics;
    if (sameAddress(log.address, EXACT_PERMIT2_PROXY) && SETTLED.has(event)) {
      if (last !== null) made.push(last);
      last = null;
    } else if (sameAddress(log.address, asset) && event === AUTHORIZATION_USED) {
      isByEip3009 = true;
    } else if (sameAddress(log.address, asset) && event === TRANSFER) {
      last = isByEip3009 ? null : log;
      isByEip3009 = false;
    }
  }
  return made;
}
