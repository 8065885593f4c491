/** What became of a transaction that was written down as pending: looked up, settled in the history, and told. */
import { Contract, type JsonRpcProvider, type TransactionReceipt } from "ethers";
import { contractOf, type Expectation } from "../../chain/guard/adminCalls.ts";
import { guardEvents } from "../../chain/guard/events.ts";
import { upstream } from "../../chain/rpc.ts";
import { AdminError } from "../adminErrors.ts";
import type { HistoryEntry } from "../records/history.ts";
import type { Pending } from "../records/pending.ts";
import type { Session } from "../session/session.ts";

export type Outcome =
  | { readonly kind: "mined"; readonly receipt: TransactionReceipt }
  /** Another transaction of the account took its nonce. */
  | { readonly kind: "replaced" }
  /** The node knows it; no block has it yet. */
  | { readonly kind: "waiting" }
  /** No block has it and the node does not know it: dropped, or never sent. */
  | { readonly kind: "unknown" };

/** How far back a transaction is looked for that was sent under a hash that nobody here knows. */
const SEARCH_BLOCKS = 5_000;
/** Nodes behind one address may lag behind each other by so much. */
const LAG_MS = 3_000;

/** @throws UpstreamUnavailable */
export async function lookUp(provider: JsonRpcProvider, pending: Pending): Promise<Outcome> {
  const hashes = pending.attempts.map(({ hash }) => hash).filter((hash) => hash !== null);
  const receipt = await receiptAmong(provider, hashes);
  if (receipt !== null) return { kind: "mined", receipt };
  const used = await upstream("nonce", () => provider.getTransactionCount(pending.from, "latest"));
  for (const hash of hashes)
    if ((await upstream("transaction", () => provider.getTransaction(hash))) !== null)
      return { kind: "waiting" };
  if (used <= pending.nonce) return { kind: "unknown" };
  // Mined between two questions, or under another hash: an external signer may pay more, or have told no hash at all.
  const late = (await receiptAmong(provider, hashes)) ?? (await receiptByNonce(provider, pending));
  return late === null ? { kind: "replaced" } : { kind: "mined", receipt: late };
}

/** As `lookUp`, but takes a transaction for replaced only when it looks so twice. */
export async function lookUpTwice({ connection, world }: Session, pending: Pending): Promise<Outcome> {
  const outcome = await lookUp(connection.provider, pending);
  if (outcome.kind !== "replaced") return outcome;
  await world.sleep(LAG_MS);
  return await lookUp(connection.provider, pending);
}

async function receiptAmong(provider: JsonRpcProvider, hashes: readonly string[]) {
  for (const hash of hashes) {
    const receipt = await upstream("receipt", () => provider.getTransactionReceipt(hash));
    if (receipt !== null) return receipt;
  }
  return null;
}

/** By the events of guard and manager, of which every admin call makes one. */
async function receiptByNonce(
  provider: JsonRpcProvider,
  { guard, manager, from, nonce, data }: Pending,
): Promise<TransactionReceipt | null> {
  const latest = await upstream("block", () => provider.getBlockNumber());
  const logs = await upstream("guard events", () =>
    provider.getLogs({
      address: [guard, manager],
      ...{ fromBlock: Math.max(0, latest - SEARCH_BLOCKS + 1), toBlock: latest },
    }),
  );
  for (const hash of new Set(logs.map(({ transactionHash }) => transactionHash).reverse())) {
    const found = await upstream("transaction", () => provider.getTransaction(hash));
    if (found?.from === from && found.nonce === nonce && found.data === data)
      return await upstream("receipt", () => provider.getTransactionReceipt(hash));
  }
  return null;
}

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
