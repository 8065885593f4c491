/**
 * Which nonces of a payer a transaction used to pay a payee through x402's proxy.
 *
 * No event names a nonce. The call of the proxy does: it carries the permit word by word, and it executes whole or
 * reverts. A transaction to the proxy itself is therefore exact evidence. One that calls the proxy from within, such as a
 * batch, carries the same words somewhere in its data, where they alone prove nothing. So the number of payments through
 * the proxy (a transfer, followed by the proxy's event) must equal that of the permits that could have made them.
 * Otherwise its transfers are attributed to no payment.
 */
import { id, type Log } from "ethers";
import { sameAddress, TRANSFER } from "./chainEvents.ts";
import { EXACT_PERMIT2_PROXY, PROXY_ABI, SETTLED } from "./permit2Contracts.ts";
import type { Wanted } from "./transferMethod.ts";

/** A transaction that was mined and did not revert. */
export interface MinedCall {
  readonly to: string | null;
  readonly data: string;
  readonly logs: readonly Pick<Log, "address" | "topics" | "data">[];
}

/** A transfer of a payer's to a payee. */
export type Payment = Pick<Wanted, "asset" | "payer" | "payTo" | "amount">;

const WORD = 64;
const SELECTOR = 10;
/** One transaction has room for hundreds of made-up permits, and each costs two questions. */
const MAX_NAMED = 64;
/** EIP-3009's: its transfer is the payment of that authorization, and of no other. */
const USED = id("AuthorizationUsed(address,bytes32)");
/** Words of the arguments before the permit: none, or the five of the EIP-2612 permit. */
const WORDS_BEFORE = new Map([
  [PROXY_ABI.getFunction("settle")?.selector, 0],
  [PROXY_ABI.getFunction("settleWithPermit")?.selector, 5],
]);

/**
 * @param wasSpentHere whether a nonce (as in the ledger) went from unused to used in the transaction's block; changes to
 *   other nonces do not count. Only called where a transaction names more permits than it made payments
 * @returns nonces as in the ledger
 */
export async function noncesPaidBy(
  { to, data, logs }: MinedCall,
  payment: Payment,
  wasSpentHere: (nonce: string) => Promise<boolean>,
): Promise<Set<string>> {
  const payments = paymentsMade(logs, payment);
  if (payments === 0) return new Set();
  if (to !== null && sameAddress(to, EXACT_PERMIT2_PROXY)) {
    const before = WORDS_BEFORE.get(data.slice(0, SELECTOR));
    return before === undefined
      ? new Set()
      : permitsIn(data.slice(SELECTOR + before * WORD, SELECTOR + (before + 7) * WORD), payment);
  }
  const named = permitsIn(data.slice(2), payment);
  if (named.size <= payments) return named;
  if (named.size > MAX_NAMED) return new Set();
  const asked = await Promise.all(
    [...named].map(async (nonce) => ({ nonce, here: await wasSpentHere(nonce) })),
  );
  const spent = new Set(asked.filter(({ here }) => here).map(({ nonce }) => nonce));
  return spent.size <= payments ? spent : new Set();
}

/** How many payments of this kind were made through the proxy: it emits its event after each one's transfer. */
export function paymentsMade(logs: MinedCall["logs"], { asset, payer, payTo, amount }: Payment): number {
  let last: MinedCall["logs"][number] | null = null;
  let count = 0;
  let byEip3009 = false;
  for (const log of logs) {
    if (sameAddress(log.address, asset) && log.topics[0] === USED) byEip3009 = true;
    if (sameAddress(log.address, asset) && log.topics[0] === TRANSFER) {
      last = byEip3009 ? null : log;
      byEip3009 = false;
    }
    if (!sameAddress(log.address, EXACT_PERMIT2_PROXY) || !SETTLED.has(log.topics[0] ?? "")) continue;
    const isThis =
      last !== null &&
      last.topics[1] === `0x${wordOf(payer)}` &&
      last.topics[2] === `0x${wordOf(payTo)}` &&
      BigInt(last.data) === BigInt(amount);
    if (isThis) count++;
    last = null;
  }
  return count;
}

/**
 * The permits of this kind in a call's data: token, amount, nonce, deadline, owner, payee.
 * @param hex without 0x
 */
function permitsIn(hex: string, { asset, payer, payTo, amount }: Payment): Set<string> {
  const begin = wordOf(asset) + BigInt(amount).toString(16).padStart(WORD, "0");
  const end = wordOf(payer) + wordOf(payTo);
  const nonces = new Set<string>();
  const text = hex.toLowerCase();
  for (let at = text.indexOf(begin); at >= 0; at = text.indexOf(begin, at + 1)) {
    const nonce = text.slice(at + 2 * WORD, at + 3 * WORD);
    // Whole bytes alone: half of one cannot begin a word.
    if (at % 2 === 0 && text.startsWith(end, at + 4 * WORD)) nonces.add(`permit2:0x${nonce}`);
  }
  return nonces;
}

const wordOf = (address: string): string => address.slice(2).toLowerCase().padStart(WORD, "0");
