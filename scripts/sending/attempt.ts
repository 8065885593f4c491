/** One attempt of a transaction: signed, written down and handed to the node, in this order. */
import { formatUnits, type JsonRpcProvider, keccak256 } from "ethers";
import { UpstreamUnavailable } from "../../chain/chainErrors.ts";
import { upstream } from "../../chain/rpc.ts";
import type { AdminAccount, CallTransaction } from "../admin/accounts.ts";
import type { Attempt, Pending } from "../admin/pending.ts";
import { rpcCode, wordsFor } from "../admin/rpcErrors.ts";
import type { Session } from "../admin/session.ts";
import { Refused, UnderWay } from "../errors.ts";

/** The transaction of a record, at a fee. */
export function transactionOf(pending: Pending, fees: Fees): CallTransaction {
  const { chainId, from, nonce, gasLimit } = pending;
  const { to, data } = pending.call;
  return { chainId, from, to, data, nonce, gasLimit: BigInt(gasLimit), ...fees };
}

/**
 * @param pending with its earlier attempts: a later one has the same nonce and higher fees
 * @returns the record with the new attempt, as it is written down now
 * @throws UnderWay when another one is out; Refused where signer or node says no; UpstreamUnavailable
 */
export async function attempt(
  { records, connection: { provider }, world }: Session,
  account: AdminAccount,
  pending: Pending,
  fees: Fees,
): Promise<Pending> {
  const isFirst = pending.attempts.length === 0;
  const transaction = transactionOf(pending, fees);
  const raw = await account.sign(transaction);
  const made: Attempt = {
    hash: raw === null ? null : keccak256(raw),
    raw,
    maxFeePerGas: String(fees.maxFeePerGas),
    maxPriorityFeePerGas: String(fees.maxPriorityFeePerGas),
    sentAt: world.now(),
  };
  const written: Pending = { ...pending, attempts: [...pending.attempts, made] };
  if (!isFirst) await records.writePending(written);
  else if (!(await records.createPending(written)))
    throw new UnderWay("Another admin transaction is being sent at this moment.");
  try {
    if (raw !== null) {
      await broadcast(provider, raw);
      return written;
    }
    const hash = await account.send(transaction);
    const known: Pending = { ...pending, attempts: [...pending.attempts, { ...made, hash }] };
    await records.writePending(known);
    return known;
  } catch (error) {
    // Refused for good: what was written down never left. Any other failure may have come after the sending.
    if (error instanceof Refused) await (isFirst ? records.clearPending() : records.writePending(pending));
    throw error;
  }
}

/**
 * Hands a signed transaction to the node. A node that has it already is content.
 * @throws Refused when the node says no; UpstreamUnavailable when nobody knows what it says
 */
export async function broadcast(provider: Session["connection"]["provider"], raw: string): Promise<void> {
  try {
    await provider.send("eth_sendRawTransaction", [raw]);
  } catch (error) {
    // The answer may have been lost while the transaction was not.
    if ((await provider.getTransaction(keccak256(raw)).catch(() => null)) !== null) return;
    if (rpcCode(error) === null)
      throw new UpstreamUnavailable("sending: the chain's RPC does not answer.", { cause: error });
    const words = wordsFor(error) ?? "It gives a reason that is not known here.";
    throw new Refused(`The node refused the transaction. ${words}`, { cause: error });
  }
}

/** The library's code for why the node said no; null for any other error. */
export function refusalOf(error: unknown): string | null {
  if (!(error instanceof Refused)) return null;
  const { cause } = error;
  return cause instanceof Error && "code" in cause ? String(cause.code) : null;
}

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
