/**
 * The one sender of transactions: `send(call, pace)` sends a call once, so that no crash loses it.
 *
 *     nothing --sign, write down--> written --hand to the node--> out --a block has it--> settled
 *     written --the node refuses it for good--> nothing, or the attempts before
 *     out     --the node has lost it--> handed over again                      pace.resendAfterMs
 *     out     --no block takes it--> written again, with the same nonce, at a higher fee    pace.raiseAfterMs
 *     out     --another transaction took its nonce--> settled as replaced
 *     any     --crash, or pace.patienceMs is over--> the next run of the same call goes on from the file
 *
 * Settled is: the outcome is in the history, and the file is away.
 */
import { UpstreamUnavailable } from "../../chain/chainErrors.ts";
import { upstream } from "../../chain/rpc.ts";
import type { AdminAccount } from "../admin/accounts.ts";
import { type Pending, sentCallOf } from "../admin/pending.ts";
import type { HistoryEntry } from "../admin/records.ts";
import type { Session } from "../admin/session.ts";
import { UnderWay } from "../errors.ts";
import {
  attempt,
  broadcast,
  currentFees,
  gweiText,
  lastFees,
  raisedFees,
  refusalOf,
  timesFees,
} from "./attempt.ts";
import type { Call } from "./call.ts";
import { LOCAL_POLL_MS, lookUp, noBlockYet, settle } from "./outcome.ts";
import type { Pace } from "./paces.ts";

/** What was typed, and why. */
export interface Intent {
  /** `guard apply`. */
  readonly command: string;
  readonly reason: string | null;
}

/** Who sends, for what. */
export interface Sending {
  readonly session: Session;
  readonly account: AdminAccount;
  readonly intent: Intent;
  /** Told of each step, in words. */
  say(line: string): void;
}

/**
 * @returns the history's entry, for any outcome; see `assertAsSent`
 * @throws UnderWay when another transaction is out, or when no block took this one in time;
 *   Refused where signer or node says no; UpstreamUnavailable before anything was sent
 */
export async function send(given: Sending, call: Call, pace: Pace): Promise<HistoryEntry> {
  const sending = { ...given, session: { ...given.session, records: given.session.records.at(pace) } };
  const { world, connection, records } = sending.session;
  const deadline = world.now() + pace.patienceMs;
  let pending = await begun(sending, call, pace);
  // What an earlier run left is handed over at once: that run may have ended before.
  const isContinued = pending.attempts.length > 0;
  const resend = resending(sending, pace, isContinued ? Number.NEGATIVE_INFINITY : world.now());
  let isSilent = false;
  for (;;) {
    try {
      pending = await advanced(sending, pending, pace);
      const entry = await ended(sending, pending, pace, resend);
      if (entry !== null) return entry;
      isSilent = false;
    } catch (error) {
      if (!(error instanceof UpstreamUnavailable)) throw error;
      pending = (await records.readPending()) ?? pending;
      if (!pace.outlastsRpc) throw underWay(error, pending);
      if (!isSilent) given.say("the RPC does not answer; still trying");
      isSilent = true;
    }
    if (world.now() >= deadline) throw outOfTime(pending);
    await world.sleep(connection.live ? pace.pollMs : LOCAL_POLL_MS);
  }
}

/** What an earlier run of the same call left is gone on with; else the start of a new one. */
async function begun(sending: Sending, call: Call, pace: Pace): Promise<Pending> {
  const { session, account, say } = sending;
  const earlier = await session.records.readPending();
  if (earlier === null) return unsent(sending, call);
  if (isOf(earlier, call, account.address)) {
    say(`continuing with the transaction of an earlier run, nonce ${earlier.nonce}`);
    return earlier;
  }
  if (pace.file === "pending.json") throw blockedBy();
  // Of another account or guard: it was reported, and must not hold up this one.
  await session.records.clearPending();
  return unsent(sending, call);
}

/** Whether the record is of this call by this account. */
export const isOf = (pending: Pending, { to, data }: Pick<Call, "to" | "data">, from: string): boolean =>
  pending.from === from && pending.call.to === to && pending.call.data === data;

export const blockedBy = () =>
  new UnderWay("Nothing was sent: the earlier transaction must have an outcome first (assay guard pending).");

/** What is written down of a call before its first attempt. */
function unsent({ session, account, intent }: Sending, call: Call): Pending {
  return {
    schema: "assay.pending/2",
    chainId: session.connection.chainId,
    command: intent.command,
    call: sentCallOf(call),
    from: account.address,
    nonce: 0,
    gasLimit: String(call.gasLimit),
    reason: intent.reason,
    actor: session.world.actor,
    attempts: [],
  };
}

/** Makes the first attempt, or the next one when it is due. */
async function advanced(sending: Sending, pending: Pending, pace: Pace): Promise<Pending> {
  const { world, connection } = sending.session;
  const last = pending.attempts.at(-1);
  if (last === undefined) {
    const nonce = await upstream("nonce", () =>
      connection.provider.getTransactionCount(pending.from, pace.nonceAfter),
    );
    return await offered(sending, { ...pending, nonce }, pace);
  }
  // A remote signer that sent it is not asked again, because a person would have to confirm; one that never answered is.
  const canOffer = last.raw !== null || last.hash === null;
  const isDue = world.now() - last.sentAt >= pace.raiseAfterMs;
  return canOffer && isDue ? await offered(sending, pending, pace) : pending;
}

async function offered({ session, account, say }: Sending, pending: Pending, pace: Pace): Promise<Pending> {
  const market = await currentFees(session.connection.provider);
  const isFirst = pending.attempts.length === 0;
  // What never got out need not be outbid.
  const before = pending.attempts.at(-1)?.hash === null ? null : lastFees(pending);
  const most = market.maxFeePerGas * pace.mostTimesMarket;
  let fees = before === null ? timesFees(market, pace.firstTimesMarket) : raisedFees(before, market);
  for (;;) {
    if (before !== null && fees.maxFeePerGas > most) return pending;
    try {
      const sent = await attempt(session, account, pending, fees);
      const hash = sent.attempts.at(-1)?.hash;
      const price = `${gweiText(fees.maxFeePerGas)} at most`;
      say(isFirst ? `sent       ${hash}, ${price}` : `no block yet, offered more: ${hash}, ${price}`);
      return sent;
    } catch (error) {
      const code = refusalOf(error);
      // An earlier attempt was mined meanwhile, or its nonce was taken: the next look tells.
      if (code === "NONCE_EXPIRED" && (!isFirst || pace.outlastsRpc)) return pending;
      if (code !== "REPLACEMENT_UNDERPRICED" || fees.maxFeePerGas > most) throw error;
      say("another transaction of this account is in the way; offering more");
      fees = raisedFees(fees, market);
    }
  }
}

/** @returns the entry when the transaction has an outcome; null while it has none */
async function ended(
  { session }: Sending,
  pending: Pending,
  pace: Pace,
  resend: (pending: Pending) => Promise<void>,
): Promise<HistoryEntry | null> {
  if (pending.attempts.length === 0) return null;
  const outcome = await lookUp(session, pending, pace.lagMs);
  if (outcome.kind === "unknown") await resend(pending);
  return await settle(session, pending, outcome);
}

/** Hands the newest attempt to the node again, at a bearable pace, and says so once for each attempt. */
function resending(
  { session, say }: Sending,
  pace: Pace,
  sentAt: number,
): (pending: Pending) => Promise<void> {
  const { world, connection } = session;
  let resentAt = sentAt;
  let said: string | null = null;
  return async ({ attempts }) => {
    const { raw = null, hash = null } = attempts.at(-1) ?? {};
    if (raw === null || world.now() - resentAt < pace.resendAfterMs) return;
    resentAt = world.now();
    if (said !== hash) say("the node does not know it; sending it again and again");
    said = hash;
    // A refusal here says nothing new: the next look finds the outcome, or the next attempt offers more.
    await broadcast(connection.provider, raw).catch(() => {});
  };
}

/** Once something may be out, an RPC that goes away is no failure that leaves nothing under way. */
export function underWay(error: UpstreamUnavailable, { attempts }: Pick<Pending, "attempts">): Error {
  if (attempts.length === 0) return error;
  return new UnderWay(
    `${error.message} The transaction may have been sent; it is recorded. Run the command again, or assay guard pending, to see what became of it.`,
    { cause: error },
  );
}

function outOfTime(pending: Pending): UnderWay {
  if (pending.attempts.length > 0) return noBlockYet(pending);
  return new UnderWay(
    "Nothing could be sent: the chain's RPC does not answer. Run the command again, or through another RPC.",
  );
}
