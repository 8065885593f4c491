/** Every command first says what became of a transaction that an earlier run left behind. */

import { AdminError } from "../adminErrors.ts";
import type { Pending } from "../records/pending.ts";
import type { Session } from "../session/session.ts";
import { lookUpTwice } from "./outcome.ts";
import { settle } from "./settle.ts";

/**
 * Looks up the pending transactions, of a pause and of the other commands, and prints what became of them. One with
 * an outcome goes into the history.
 * @returns the transaction that still has no outcome and so blocks others, or null; a pause blocks none
 * @throws AdminError `unreadable_file`; UpstreamUnavailable
 */
export async function reportPending(session: Session): Promise<Pending | null> {
  await reportOne({ ...session, records: session.records.ofPause() });
  return await reportOne(session);
}

/** As `reportPending`, for the one file that the session's records name. */
export async function reportOne(session: Session): Promise<Pending | null> {
  const { world, records } = session;
  const pending = await records.readPending();
  if (pending === null) return null;
  const hash = pending.attempts.at(-1)?.hash ?? "not known";
  world.print(`An earlier "${pending.command}" was not seen to finish: ${pending.line}.`);
  world.print(`Transaction ${hash}, nonce ${pending.nonce} of ${pending.from}.`);
  const outcome = await lookUpTwice(session, pending);
  const entry = await settle(session, pending, outcome);
  if (entry === null)
    world.print(
      outcome.kind === "waiting"
        ? "The node knows it, but no block has it yet."
        : "The node does not know it: it was dropped, or never sent.",
    );
  else if (entry.outcome === "replaced")
    world.print("Another transaction of the account used its nonce; the history now says so.");
  else {
    world.print(`It was ${entry.outcome} in block ${entry.block}; the history has it now.`);
    for (const { what, value, asSent } of entry.readBack)
      world.print(`   read back ${what}: ${value}${asSent ? "" : ", which is NOT what was sent"}`);
  }
  world.print("");
  return entry === null ? pending : null;
}

/** @throws AdminError `pending_transaction`: nothing is sent over a transaction without an outcome */
export function assertNothingPending(pending: Pending | null): void {
  if (pending !== null)
    throw new AdminError(
      "pending_transaction",
      "Nothing was sent: the earlier transaction must have an outcome first (guard pending).",
    );
}
