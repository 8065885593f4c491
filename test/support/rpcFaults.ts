/** What an RPC does wrong to a transaction, and clocks that shorten the waiting for it. Each call begins anew. */
import { toQuantity } from "ethers";
import type { FlakyRpc } from "./flakyRpc.ts";

/** On a clock on which minutes pass in seconds. */
export const fast =
  (times = 20, more: object = {}) =>
  () => {
    const start = Date.now();
    return { now: () => start + (Date.now() - start) * times, ...more };
  };

const isSending = (method: string) => method === "eth_sendRawTransaction";
/** The node says that it has it, and loses it. */
export const losing: FlakyRpc["decide"] = (method, transaction) =>
  isSending(method) ? { result: transaction!.hash } : null;

export function dropping(): FlakyRpc["decide"] {
  let count = 0;
  return async () => {
    count++;
    if (count % 7 === 0) await new Promise((resolve) => setTimeout(resolve, 60));
    if (count % 2 === 1) return count % 3 === 0 ? "busy" : "drop";
    return null;
  };
}

export function losingFirst(times: number): FlakyRpc["decide"] {
  let lost = 0;
  return (method, transaction) =>
    isSending(method) && lost++ < times ? { result: transaction!.hash } : null;
}

export function losingAnswers(times: number): FlakyRpc["decide"] {
  let lost = 0;
  return (method) => (isSending(method) && lost++ < times ? "lose-answer" : null);
}

/** A node that takes nothing below twice the first offer. */
export function greedy(): FlakyRpc["decide"] {
  let least = 0n;
  return (method, transaction) => {
    if (!isSending(method)) return null;
    least ||= transaction!.maxFeePerGas! * 2n;
    return transaction!.maxFeePerGas! < least ? { result: transaction!.hash } : null;
  };
}

/** A transaction of the account is stuck, and must be outbid. */
export function stuck(): FlakyRpc["decide"] {
  let refusals = 0;
  return (method, transaction, params) => {
    if (method === "eth_getTransactionCount" && params[1] === "pending")
      return { result: toQuantity((transaction?.nonce ?? 0) + 1_000) };
    return isSending(method) && refusals++ < 3
      ? { error: { code: -32000, message: "replacement transaction underpriced" } }
      : null;
  };
}

/** An RPC that is gone for good once it is asked for this. */
export function goneFrom(method: string): FlakyRpc["decide"] {
  let isGone = false;
  return (asked) => {
    isGone ||= asked === method;
    return isGone ? "drop" : null;
  };
}
