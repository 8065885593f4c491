/**
 * Sends one call as fast as the chain allows: no simulation, and a generous fee from the start. It is sent again when
 * the node has lost it, with a higher fee for the same nonce when no block takes it. For a pause, where a minute
 * counts and the gas does not. Failed steps are retried until the time is over.
 */
import { UpstreamUnavailable } from "../../chain/chainErrors.ts";
import type { AdminCall } from "../../chain/guard/adminCalls.ts";
import { upstream } from "../../chain/rpc.ts";
import type { AdminAccount } from "../accounts/accounts.ts";
import { AdminError } from "../adminErrors.ts";
import type { HistoryEntry } from "../records/history.ts";
import type { Pending } from "../records/pending.ts";
import type { Session } from "../session/session.ts";
import { lookUp, settle } from "./outcome.ts";
import {
  attempt,
  broadcast,
  currentFees,
  type Fees,
  type GuardAt,
  gweiText,
  type Intent,
  lastFees,
  raisedFees,
  transactionOf,
  unsent,
} from "./send.ts";

/** A transaction that no block took for so long is offered more. */
const BUMP_AFTER_MS = 6_000;
/** How many times the market's fee is offered at the most; more would buy nothing. */
const MOST_TIMES_MARKET = 25n;
/** How often a node that has lost the transaction gets it again. */
const RESEND_AFTER_MS = 1_000;
const POLL_MS = 500;
const LOCAL_POLL_MS = 50;
/** Many times what setting one flag costs; unused gas is not paid. */
const GAS_LIMIT = 150_000n;

export interface UrgentCall {
  readonly account: AdminAccount;
  readonly guardAt: GuardAt;
  readonly call: AdminCall;
  readonly intent: Intent;
  /** Unix milliseconds after which the rest is left to the next run. */
  readonly deadline: number;
  /** Told of each step, in words. */
  say(line: string): void;
}

/**
 * @param session with records whose pending file waits for no other command
 * @returns the history's entry for any outcome
 * @throws AdminError `pending_transaction` after the deadline, `refused` when the node never takes it
 */
export async function sendUrgently(session: Session, urgent: UrgentCall): Promise<HistoryEntry> {
  const { world, connection } = session;
  const resend = resender(session, urgent);
  let pending = await takeOver(session, urgent);
  let isSilent = false;
  for (;;) {
    try {
      pending = (await step(session, urgent, pending)) ?? pending;
      if (pending.attempts.length > 0) {
        const entry = await ended(session, urgent, pending, resend);
        if (entry !== null) return entry;
      }
      isSilent = false;
    } catch (error) {
      if (!(error instanceof UpstreamUnavailable)) throw error;
      pending = (await session.records.readPending()) ?? pending;
      if (!isSilent) urgent.say("the RPC does not answer; still trying");
      isSilent = true;
    }
    if (world.now() >= urgent.deadline) throw outOfTime(pending);
    await world.sleep(connection.live ? POLL_MS : LOCAL_POLL_MS);
  }
}

/** An earlier run's transaction of the same account is gone on with; else the start of a new one. */
async function takeOver(
  session: Session,
  { account, guardAt, call, intent, say }: UrgentCall,
): Promise<Pending> {
  const { place, records } = session;
  const earlier = await records.readPending();
  if (earlier !== null && earlier.from === account.address && earlier.guard === place.guard) {
    say(`continuing with the transaction of an earlier run, nonce ${earlier.nonce}`);
    return earlier;
  }
  // Of another account or guard: it was reported, and must not hold up this one.
  if (earlier !== null) await records.clearPending();
  return unsent(session, guardAt, account, call, intent, { nonce: 0, gasLimit: GAS_LIMIT });
}

/** Sends the first attempt, or the next one when it is time. @returns the pending transaction, if it changed */
async function step(session: Session, urgent: UrgentCall, pending: Pending): Promise<Pending | null> {
  const { attempts } = pending;
  const last = attempts.at(-1);
  if (last === undefined) {
    const nonce = await freeNonce(session, pending.from);
    return await offer(session, urgent, { ...pending, nonce });
  }
  // A remote signer that sent it is not asked again, because a person would have to confirm; one that never answered is.
  const canOffer = last.raw !== null || last.hash === null;
  const isDue = session.world.now() - last.sentAt >= BUMP_AFTER_MS && canOffer;
  return isDue ? await offer(session, urgent, pending) : null;
}

/**
 * The next nonce that no block has: it replaces a transaction of this account that is stuck in the pool, which can
 * wait.
 */
async function freeNonce({ connection: { provider } }: Session, from: string): Promise<number> {
  return await upstream("nonce", () => provider.getTransactionCount(from, "latest"));
}

async function offer(session: Session, urgent: UrgentCall, pending: Pending): Promise<Pending> {
  const { account, say } = urgent;
  const market = await currentFees(session);
  const isFirst = pending.attempts.length === 0;
  const double: Fees = {
    maxFeePerGas: market.maxFeePerGas * 2n,
    maxPriorityFeePerGas: market.maxPriorityFeePerGas * 2n,
  };
  const most = market.maxFeePerGas * MOST_TIMES_MARKET;
  // What never got out need not be outbid.
  const before = isFirst || pending.attempts.at(-1)?.hash === null ? null : lastFees(pending);
  let fees = before === null ? double : raisedFees(before, market);
  for (;;) {
    if (before !== null && fees.maxFeePerGas > most) return pending;
    try {
      const sent = await attempt(session, account, pending, transactionOf(pending, account, fees));
      const { hash } = sent.attempts.at(-1)!;
      const offered = `${gweiText(fees.maxFeePerGas)} at most`;
      say(isFirst ? `sent       ${hash}, ${offered}` : `no block yet, offered more: ${hash}, ${offered}`);
      return sent;
    } catch (error) {
      const code = refusalOf(error);
      // Mined meanwhile, or its nonce taken: the next look tells.
      if (code === "NONCE_EXPIRED") return isFirst ? { ...pending, attempts: [] } : pending;
      if (code !== "REPLACEMENT_UNDERPRICED" || fees.maxFeePerGas > most) throw error;
      say("another transaction of this account is in the way; offering more");
      fees = raisedFees(fees, market);
    }
  }
}

/** @returns the entry when the transaction has an outcome; null while it has none */
async function ended(
  session: Session,
  urgent: UrgentCall,
  pending: Pending,
  resend: (pending: Pending) => Promise<void>,
): Promise<HistoryEntry | null> {
  const outcome = await lookUp(session.connection.provider, pending);
  if (outcome.kind === "unknown") await resend(pending);
  return await settle(session, pending, outcome, urgent.call.expects);
}

/** Hands the newest attempt to the node again, at a bearable pace, and says so once for each attempt. */
function resender({ world, connection }: Session, { say }: UrgentCall): (pending: Pending) => Promise<void> {
  let resentAt = 0;
  let said: string | null = null;
  return async ({ attempts }) => {
    const { raw = null, hash = null } = attempts.at(-1) ?? {};
    if (raw === null || world.now() - resentAt < RESEND_AFTER_MS) return;
    resentAt = world.now();
    if (said !== hash) say("the node does not know it; sending it again and again");
    said = hash;
    // A refusal here says nothing new: the next look finds the outcome, or the next attempt offers more.
    await broadcast(connection.provider, raw).catch(() => {});
  };
}

/** The library's code for why the node said no; null for any other error. */
function refusalOf(error: unknown): string | null {
  if (!(error instanceof AdminError) || error.code !== "refused") return null;
  const { cause } = error;
  return cause instanceof Error && "code" in cause ? String(cause.code) : null;
}

function outOfTime({ attempts, nonce }: Pending): AdminError {
  const hash = attempts.at(-1)?.hash ?? `with nonce ${nonce}, whose signer did not answer,`;
  return new AdminError(
    "pending_transaction",
    attempts.length === 0
      ? "Nothing could be sent: the chain's RPC does not answer. Run the command again, or through another RPC."
      : `No block has the transaction ${hash} yet. It is recorded: run the command again to continue with it.`,
  );
}
