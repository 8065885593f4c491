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
 * The approvals come first, where the guard may not take the amount already.
 * @param execution of a trade that `checkTrade` let pass
 */
export function walletCallsOf({ tradeIntent, guardCall, approval }: PreparedExecution): WalletCalls {
  const calls = [...approval.calls, guardCall];
  return {
    version: "2.0.0",
    from: tradeIntent.message.owner,
    chainId: `0x${guardCall.chainId.toString(16)}`,
    atomicRequired: true,
    calls: calls.map(({ to, data }) => ({ to, data, value: "0x0" })),
  };
}
