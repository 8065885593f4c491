/** Brings a pending transaction to its end: the history, and the pending file gone. */
import { Contract, type TransactionReceipt } from "ethers";
import { contractOf, type Expectation } from "../../chain/guard/adminCalls.ts";
import { guardEvents } from "../../chain/guard/events.ts";
import { upstream } from "../../chain/rpc.ts";
import { AdminError } from "../adminErrors.ts";
import type { HistoryEntry } from "../records/history.ts";
import type { Pending } from "../records/pending.ts";
import type { Session } from "../session/session.ts";
import type { Outcome } from "./outcome.ts";

type SettleSession = Pick<Session, "world" | "connection" | "records">;

/**
 * Writes the outcome of a transaction into the history and takes the pending file away.
 * @param expects what the views should say at its block; by default what was written down with it
 * @returns null while it has no outcome
 */
export async function settle(
  session: SettleSession,
  pending: Pending,
  outcome: Outcome,
  expects: readonly Expectation[] = pending.expects ?? [],
): Promise<HistoryEntry | null> {
  if (outcome.kind !== "mined" && outcome.kind !== "replaced") return null;
  const { world, connection, records } = session;
  const { command, actor, reason, guard, from, call, line, nonce } = pending;
  const entry: HistoryEntry = {
    at: new Date(world.now()).toISOString(),
    chainId: connection.chainId,
    network: connection.networkName,
    ...{ command, actor, commit: await world.commit(), reason, guard, from, call, line, nonce },
    ...(outcome.kind === "mined"
      ? await minedPart(session, pending, outcome.receipt, expects)
      : {
          ...{ transaction: pending.attempts.at(-1)?.hash ?? null, outcome: "replaced" },
          ...{ block: null, gasUsed: null, events: [], readBack: [] },
        }),
  };
  // History first: between the two steps a crash leaves a pending file whose outcome is found again, not lost.
  if (!(await records.historyHas(entry))) await records.appendHistory(entry);
  await records.clearPending();
  return entry;
}

async function minedPart(
  session: SettleSession,
  place: Pick<Pending, "guard" | "manager">,
  { status, hash, blockNumber, gasUsed, logs }: TransactionReceipt,
  expects: readonly Expectation[],
) {
  const succeeded = status === 1;
  return {
    transaction: hash,
    outcome: succeeded ? ("confirmed" as const) : ("reverted" as const),
    block: blockNumber,
    gasUsed: gasUsed.toString(),
    events: guardEvents(place, logs),
    readBack: succeeded ? await readBack(session, place, expects, blockNumber) : [],
  };
}

async function readBack(
  { connection: { provider } }: SettleSession,
  place: Pick<Pending, "guard" | "manager">,
  expects: readonly Expectation[],
  blockTag: number,
): Promise<HistoryEntry["readBack"]> {
  return await Promise.all(
    expects.map(async ({ what, view, args, value: expected }) => {
      const { address, abi } = contractOf(view, place);
      const asked = new Contract(address, abi, provider).getFunction(view);
      const value = String(await upstream("reading back", () => asked.staticCall(...args, { blockTag })));
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
