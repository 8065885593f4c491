/** Sends one call so that it cannot get lost: written down, sent, waited for, read back, kept in the history. */
import { formatUnits, keccak256 } from "ethers";
import { UpstreamUnavailable } from "../../chain/chainErrors.ts";
import { type AdminCall, encodeAdminCall } from "../../chain/guard/adminCalls.ts";
import type { GuardRoles } from "../../chain/guard/roles.ts";
import { upstream } from "../../chain/rpc.ts";
import type { AdminAccount, CallTransaction } from "../accounts/accounts.ts";
import { AdminError } from "../adminErrors.ts";
import type { HistoryEntry } from "../records/history.ts";
import type { Attempt, Pending } from "../records/pending.ts";
import { rpcCode, wordsFor } from "../session/rpcErrors.ts";
import type { Session } from "../session/session.ts";
import { lookUpTwice, settle } from "./outcome.ts";
import type { Simulated } from "./simulate.ts";

/** How long a command waits for a block before it leaves the rest to the next run. */
const WAIT_MS = 5 * 60_000;
const POLL_MS = 1_000;
const LOCAL_POLL_MS = 50;

/** The guard and its manager. */
export type GuardAt = Pick<GuardRoles, "guard" | "manager">;

/** What was typed, and why. */
export interface Intent {
  /** `guard apply`. */
  readonly command: string;
  readonly reason: string | null;
}

export interface Fees {
  /** Wei. */
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** @throws UpstreamUnavailable */
export async function currentFees({ connection: { provider } }: Pick<Session, "connection">): Promise<Fees> {
  const { maxFeePerGas, maxPriorityFeePerGas, gasPrice } = await upstream("fees", () =>
    provider.getFeeData(),
  );
  // A chain without a base fee takes the plain price for both.
  const cap = maxFeePerGas ?? gasPrice ?? 0n;
  return { maxFeePerGas: cap, maxPriorityFeePerGas: maxPriorityFeePerGas ?? cap };
}

/**
 * @param onSent told the hash as soon as the transaction is out
 * @returns the history's entry for any outcome; see `assertAsSent`
 * @throws AdminError `pending_transaction` when another one is out, or when no block took this one in time; `refused`
 *   by the signer; UpstreamUnavailable
 */
export async function sendCall(
  session: Session,
  guardAt: GuardAt,
  account: AdminAccount,
  planned: Simulated,
  intent: Intent,
  onSent: (hash: string) => void = () => {},
): Promise<HistoryEntry> {
  const { connection } = session;
  const { provider, chainId } = connection;
  const transaction: CallTransaction = {
    chainId,
    from: account.address,
    to: planned.to,
    data: planned.data,
    nonce: await upstream("nonce", () => provider.getTransactionCount(account.address, "pending")),
    // The estimate holds for the present state; a quarter more for what a block may change in between.
    gasLimit: (planned.gas * 5n) / 4n,
    ...(await currentFees(session)),
  };
  const pending = unsent(session, guardAt, account, planned.call, intent, transaction);
  return await asUnderWay(session, async () => {
    const sent = await attempt(session, account, pending, transaction);
    onSent(sent.attempts.at(-1)?.hash ?? "");
    return await waitForOutcome(session, sent, planned);
  });
}

/** What is written down of a call before its first attempt. */
export function unsent(
  { connection, world }: Session,
  { guard, manager }: GuardAt,
  account: AdminAccount,
  call: AdminCall,
  { command, reason }: Intent,
  { nonce, gasLimit }: Pick<CallTransaction, "nonce" | "gasLimit">,
): Pending {
  return {
    schema: "assay.pending/1",
    chainId: connection.chainId,
    command,
    line: call.line,
    ...{ guard, manager },
    from: account.address,
    nonce,
    ...encodeAdminCall(call, { guard, manager }),
    gasLimit: gasLimit.toString(),
    call: { name: call.name, args: [...call.args] },
    expects: call.expects.map((expected) => ({ ...expected, args: [...expected.args] })),
    reason,
    actor: world.actor,
    attempts: [],
  };
}

/**
 * Once something may be out, an RPC that goes away is no failure that leaves nothing under way.
 * @throws AdminError `pending_transaction` in place of UpstreamUnavailable
 */
export async function asUnderWay<T>(
  { records }: Pick<Session, "records">,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UpstreamUnavailable) || (await records.readPending()) === null) throw error;
    throw new AdminError(
      "pending_transaction",
      `${error.message} The transaction may have been sent; it is recorded. Run the command again, or guard pending, to see what became of it.`,
      { cause: error },
    );
  }
}

/**
 * Signs, records and sends a transaction, in this order. For a fee bump, call it with the current pending
 * transaction, the same nonce and higher fees. \n @returns the pending transaction with the new attempt, as now
 * recorded
 */
export async function attempt(
  { records, connection: { provider }, world }: Session,
  account: AdminAccount,
  pending: Pending,
  transaction: CallTransaction,
): Promise<Pending> {
  const first = pending.attempts.length === 0;
  const raw = await account.sign(transaction);
  const made: Attempt = {
    hash: raw === null ? null : keccak256(raw),
    raw,
    maxFeePerGas: transaction.maxFeePerGas.toString(),
    maxPriorityFeePerGas: transaction.maxPriorityFeePerGas.toString(),
    sentAt: world.now(),
  };
  const written: Pending = { ...pending, attempts: [...pending.attempts, made] };
  if (!first) await records.writePending(written);
  else if (!(await records.createPending(written)))
    throw new AdminError("pending_transaction", "Another admin transaction is being sent at this moment.");
  try {
    if (raw !== null) await broadcast(provider, raw);
    else {
      const hash = await account.send(transaction);
      const known: Pending = { ...pending, attempts: [...pending.attempts, { ...made, hash }] };
      await records.writePending(known);
      return known;
    }
  } catch (error) {
    // Refused for good: what was written down never left. Any other failure may have come after the sending.
    if (error instanceof AdminError && error.code === "refused")
      await (first ? records.clearPending() : records.writePending(pending));
    throw error;
  }
  return written;
}

/**
 * Hands a signed transaction to the node. A node that has it already is content.
 * @returns the hash
 * @throws AdminError `refused` when the node says no; UpstreamUnavailable when nobody knows what it says
 */
export async function broadcast(provider: Session["connection"]["provider"], raw: string): Promise<string> {
  const hash = keccak256(raw);
  try {
    await provider.send("eth_sendRawTransaction", [raw]);
    return hash;
  } catch (error) {
    // The answer may have been lost while the transaction was not.
    const known = await provider.getTransaction(hash).catch(() => null);
    if (known !== null) return hash;
    if (rpcCode(error) === null)
      throw new UpstreamUnavailable("sending: the chain's RPC does not answer.", { cause: error });
    const words = wordsFor(error) ?? "It gives a reason that is not known here.";
    throw new AdminError("refused", `The node refused the transaction. ${words}`, { cause: error });
  }
}

/**
 * @param planned what the transaction does, to read it back; without it nothing is read back
 * @throws AdminError `pending_transaction` where no block has it in time
 */
export async function waitForOutcome(
  session: Session,
  pending: Pending,
  planned: Pick<Simulated, "call"> | null,
): Promise<HistoryEntry> {
  const { world, connection } = session;
  const started = world.now();
  for (;;) {
    const outcome = await lookUpTwice(session, pending);
    const entry = await settle(session, pending, outcome, planned?.call.expects);
    if (entry !== null) return entry;
    const waitedMs = world.now() - started;
    if (waitedMs >= WAIT_MS)
      throw new AdminError(
        "pending_transaction",
        `After ${Math.round(waitedMs / 1000)} seconds no block has the transaction ${pending.attempts.at(-1)?.hash}. It is recorded; run the command again to see what became of it.`,
      );
    await world.sleep(connection.live ? POLL_MS : LOCAL_POLL_MS);
  }
}

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
