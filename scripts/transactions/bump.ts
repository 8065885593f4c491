/** The same transaction again, with a fee that makes nodes take it in place of the one before. */
import { formatUnits } from "ethers";
import type { AdminAccount, CallTransaction } from "../accounts/accounts.ts";
import type { Pending } from "../records/pending.ts";
import type { Fees } from "./send.ts";

/** Nodes ask for a tenth more at least. */
const RAISE_PERCENT = 150n;

/**
 * Half as much again, and at least the market's present price.
 * @param before null: there was none
 */
export function raisedFees(before: Fees | null, market: Fees): Fees {
  const raise = (last: bigint, now: bigint) => {
    const raised = (last * RAISE_PERCENT) / 100n + 1n;
    return raised > now ? raised : now;
  };
  return {
    maxFeePerGas: raise(before?.maxFeePerGas ?? 0n, market.maxFeePerGas),
    maxPriorityFeePerGas: raise(before?.maxPriorityFeePerGas ?? 0n, market.maxPriorityFeePerGas),
  };
}

/** `1.5 gwei` */
export function gweiText(wei: bigint): string {
  return `${Number(Number(formatUnits(wei, "gwei")).toPrecision(4))} gwei`;
}

/** What the newest attempt offered; null before the first. */
export function lastFees({ attempts }: Pick<Pending, "attempts">): Fees | null {
  const last = attempts.at(-1);
  return last === undefined
    ? null
    : { maxFeePerGas: BigInt(last.maxFeePerGas), maxPriorityFeePerGas: BigInt(last.maxPriorityFeePerGas) };
}

/** The transaction of a pending record, at another fee. */
export function transactionOf(pending: Pending, account: AdminAccount, fees: Fees): CallTransaction {
  const { chainId, to, data, nonce, gasLimit } = pending;
  return { chainId, from: account.address, to, data, nonce, gasLimit: BigInt(gasLimit), ...fees };
}
