/** One attempt of a transaction: signed, written down and handed to the node, in this order. */
import { keccak256 } from "ethers";
import { UpstreamUnavailable } from "../../chain/chainErrors.ts";
import { CommandError } from "../errors.ts";
import type { AdminAccount, CallTransaction } from "../networks/accounts.ts";
import { rpcCode, wordsFor } from "../networks/rpcErrors.ts";
import type { Attempt, Pending } from "../records/pending.ts";
import type { Session } from "../session/session.ts";
import type { Fees } from "./fees.ts";

/** The transaction of a record, at a fee. */
export function transactionOf(pending: Pending, fees: Fees): CallTransaction {
  const { chainId, from, to, data, nonce, gasLimit } = pending;
  return { chainId, from, to, data, nonce, gasLimit: BigInt(gasLimit), ...fees };
}

/**
 * @param pending with its earlier attempts: a later one has the same nonce and higher fees
 * @returns the record with the new attempt, as it is written down now
 * @throws CommandError `pending_transaction` when another one is out; `refused` by signer or node; UpstreamUnavailable
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
    throw new CommandError("pending_transaction", "Another admin transaction is being sent at this moment.");
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
    if (error instanceof CommandError && error.code === "refused")
      await (isFirst ? records.clearPending() : records.writePending(pending));
    throw error;
  }
}

/**
 * Hands a signed transaction to the node. A node that has it already is content.
 * @throws CommandError `refused` when the node says no; UpstreamUnavailable when nobody knows what it says
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
    throw new CommandError("refused", `The node refused the transaction. ${words}`, { cause: error });
  }
}

/** The library's code for why the node said no; null for any other error. */
export function refusalOf(error: unknown): string | null {
  if (!(error instanceof CommandError) || error.code !== "refused") return null;
  const { cause } = error;
  return cause instanceof Error && "code" in cause ? String(cause.code) : null;
}
