/** What is offered for a transaction. */
import { formatUnits, type JsonRpcProvider } from "ethers";
import { upstream } from "../../chain/rpc.ts";
import type { Pending } from "../records/pending.ts";

/** Wei. */
export interface Fees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** The market's. @throws UpstreamUnavailable */
export async function currentFees(provider: JsonRpcProvider): Promise<Fees> {
  const { maxFeePerGas, maxPriorityFeePerGas, gasPrice } = await upstream("fees", () =>
    provider.getFeeData(),
  );
  // A chain without a base fee takes the plain price for both.
  const cap = maxFeePerGas ?? gasPrice ?? 0n;
  return { maxFeePerGas: cap, maxPriorityFeePerGas: maxPriorityFeePerGas ?? cap };
}

/** Nodes ask for a tenth more at least. */
const RAISE_PERCENT = 150n;

/** Half as much again, and at least the market's present price. */
export function raisedFees(before: Fees, market: Fees): Fees {
  const raise = (last: bigint, now: bigint) => {
    const raised = (last * RAISE_PERCENT) / 100n + 1n;
    return raised > now ? raised : now;
  };
  return {
    maxFeePerGas: raise(before.maxFeePerGas, market.maxFeePerGas),
    maxPriorityFeePerGas: raise(before.maxPriorityFeePerGas, market.maxPriorityFeePerGas),
  };
}

export const timesFees = ({ maxFeePerGas, maxPriorityFeePerGas }: Fees, times: bigint): Fees => ({
  maxFeePerGas: maxFeePerGas * times,
  maxPriorityFeePerGas: maxPriorityFeePerGas * times,
});

/** What the newest attempt offered; null before the first. */
export function lastFees({ attempts }: Pick<Pending, "attempts">): Fees | null {
  const last = attempts.at(-1);
  if (last === undefined) return null;
  return { maxFeePerGas: BigInt(last.maxFeePerGas), maxPriorityFeePerGas: BigInt(last.maxPriorityFeePerGas) };
}

/** `1.5 gwei` */
export function gweiText(wei: bigint): string {
  return `${Number(Number(formatUnits(wei, "gwei")).toPrecision(4))} gwei`;
}
