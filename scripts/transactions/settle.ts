/** Brings a pending transaction to its end: the history, and the pending file gone. */
import type { TransactionReceipt } from "ethers";
import type { Expectation } from "../../chain/guard/adminCalls.ts";
import { guardEvents } from "../../chain/guard/events.ts";
import { upstream } from "../../chain/rpc.ts";
import { TradeGuard__factory } from "../../types/contracts/factories/contracts/TradeGuard__factory.ts";
import { AdminError } from "../adminErrors.ts";
import type { HistoryEntry } from "../records/history.ts";
import type { Pending } from "../records/pending.ts";
import type { Session } from "../session/session.ts";

type SettleSession = Pick<Session, "world" | "connection" | "records">;

/**
 * Writes the outcome of a mined transaction into the history and takes the pending file away.
 * @param expects what the views should say at its block; by default what was written down with it
 */
export async function settleMined(
  session: SettleSession,
  pending: Pending,
  receipt: TransactionReceipt,
  expects: readonly Expectation[] = pending.expects ?? [],
): Promise<HistoryEntry> {
  const succeeded = receipt.status === 1;
  const entry: HistoryEntry = {
    ...(await baseEntry(session, pending)),
    transaction: receipt.hash,
    outcome: succeeded ? "confirmed" : "reverted",
    block: receipt.blockNumber,
    gasUsed: receipt.gasUsed.toString(),
    events: guardEvents(pending.guard, receipt.logs),
    readBack: succeeded ? await readBack(session, pending.guard, expects, receipt.blockNumber) : [],
  };
  await close(session, entry);
  return entry;
}

/** The same for one whose nonce another transaction took. */
export async function settleReplaced(session: SettleSession, pending: Pending): Promise<HistoryEntry> {
  const entry: HistoryEntry = {
    ...(await baseEntry(session, pending)),
    transaction: pending.attempts.at(-1)?.hash ?? null,
    outcome: "replaced",
    block: null,
    gasUsed: null,
    events: [],
    readBack: [],
  };
  await close(session, entry);
  return entry;
}

/** History first: between the two steps a crash leaves a pending file whose outcome is found again, not lost. */
async function close({ records }: SettleSession, entry: HistoryEntry): Promise<void> {
  if (!(await records.historyHas(entry))) await records.appendHistory(entry);
  await records.clearPending();
}

async function baseEntry({ world, connection }: SettleSession, pending: Pending) {
  return {
    at: new Date(world.now()).toISOString(),
    chainId: connection.chainId,
    network: connection.networkName,
    command: pending.command,
    actor: pending.actor,
    commit: await world.commit(),
    reason: pending.reason,
    guard: pending.guard,
    from: pending.from,
    call: pending.call,
    line: pending.line,
    nonce: pending.nonce,
  };
}

async function readBack(
  { connection: { provider } }: SettleSession,
  guard: string,
  expects: readonly Expectation[],
  blockTag: number,
): Promise<HistoryEntry["readBack"]> {
  const contract = TradeGuard__factory.connect(guard, provider);
  return await Promise.all(
    expects.map(async ({ what, view, args, value: expected }) => {
      const value = String(
        await upstream("reading back", () =>
          contract.getFunction(view as string).staticCall(...args, { blockTag }),
        ),
      );
      return { what, value, asSent: value === expected };
    }),
  );
}

/** @throws AdminError `reverted` or `not_as_sent` when the entry is no success */
export function assertAsSent(entry: HistoryEntry): void {
  const { line, transaction, block } = entry;
  if (entry.outcome === "reverted")
    throw new AdminError(
      "reverted",
      `The transaction ${transaction} was mined in block ${block} and reverted: ${line}. Nothing changed.`,
    );
  if (entry.outcome === "replaced")
    throw new AdminError(
      "not_as_sent",
      `Another transaction of ${entry.from} used the nonce ${entry.nonce}; this one was not mined: ${line}.`,
    );
  const wrong = entry.readBack.filter(({ asSent }) => !asSent);
  if (wrong.length > 0)
    throw new AdminError(
      "not_as_sent",
      `After ${transaction} the guard says ${wrong.map(({ what, value }) => `${what}: ${value}`).join(", ")}, which is not what was sent.`,
    );
}
