/**
 * EIP-5792: what `wallet_sendCalls` takes to carry a prepared trade out by one confirmation, made from its approval and its
 * guard call.
 */
import type { PreparedExecution } from "./document.ts";

export interface WalletCall {
  readonly to: string;
  readonly data: string;
  /** Nothing is payable. */
  readonly value: "0x0";
}

/** The one parameter of `wallet_sendCalls`, as EIP-5792 has it in its version 2.0.0. */
export interface WalletCalls {
  readonly version: "2.0.0";
  /** The owner: nobody else's `execute` is taken. */
  readonly from: string;
  /** Hexadecimal, without leading zeros. */
  readonly chainId: string;
  /** The trade without the approval fails, and the approval without the trade would stay. */
  readonly atomicRequired: true;
  readonly calls: WalletCall[];
}

/**
 * The approval is left out where the guard may take the amount already.
 * @param execution of a trade that `checkTrade` let pass
 */
export function walletCallsOf({ tradeIntent, guardCall, approval }: PreparedExecution): WalletCalls {
  const approve = { to: approval.token, data: approval.data, value: "0x0" } as const;
  const execute = { to: guardCall.to, data: guardCall.data, value: "0x0" } as const;
  const isApproved = BigInt(approval.currentAllowance) >= BigInt(approval.amount);
  return {
    version: "2.0.0",
    from: tradeIntent.message.owner,
    chainId: `0x${guardCall.chainId.toString(16)}`,
    atomicRequired: true,
    calls: isApproved ? [execute] : [approve, execute],
  };
}
