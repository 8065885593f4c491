/** What became of a transaction that was written down as pending: looked up, settled in the history, and told. */
import { Contract, type JsonRpcProvider, type TransactionReceipt } from "ethers";
import { contractOf, type Expectation } from "../../chain/guard/adminCalls.ts";
import { guardEvents } from "../../chain/guard/events.ts";
import { upstream } from "../../chain/rpc.ts";
import type { Pending } from "../admin/pending.ts";
import type { HistoryEntry } from "../admin/records.ts";
import type { Session } from "../admin/session.ts";
import { Refused, Reverted, UnderWay } from "../errors.ts";
import { type Pace, STEADY, URGENT } from "./paces.ts";

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
/** Blocks of the local chain come at once. */
export const LOCAL_POLL_MS = 50;

type OutcomeSession = Pick<Session, "world" | "connection">;

/**
 * @param lagMs a transaction is taken for replaced only when it looks so again after so long
 * @throws UpstreamUnavailable
 */
export async function lookUp(
  { connection: { provider }, world }: OutcomeSession,
  pending: Pending,
  lagMs: number,
): Promise<Outcome> {
  const outcome = await lookOnce(provider, pending);
  if (outcome.kind !== "replaced" || lagMs === 0) return outcome;
  await world.sleep(lagMs);
  return await lookOnce(provider, pending);
}

async function lookOnce(provider: JsonRpcProvider, pending: Pending): Promise<Outcome> {
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

async function receiptAmong(provider: JsonRpcProvider, hashes: readonly string[]) {
  for (const hash of hashes) {
    const receipt = await upstream("receipt", () => provider.getTransactionReceipt(hash));
    if (receipt !== null) return receipt;
  }
  return null;
}

/** By the events of the contracts that it is about: every admin call and every Safe's transaction makes one. */
async function receiptByNonce(
  provider: JsonRpcProvider,
  { call: { guard, manager, to, creates, data }, from, nonce }: Pending,
): Promise<TransactionReceipt | null> {
  const latest = await upstream("block", () => provider.getBlockNumber());
  const logs = await upstream("guard events", () =>
    provider.getLogs({
      address: [guard, manager, to, creates].filter((address) => address !== null),
      fromBlock: Math.max(0, latest - SEARCH_BLOCKS + 1),
      toBlock: latest,
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
 * @returns null while it has no outcome
 */
export async function settle(
  session: SettleSession,
  pending: Pending,
  outcome: Outcome,
): Promise<HistoryEntry | null> {
  if (outcome.kind !== "mined" && outcome.kind !== "replaced") return null;
  const { world, connection, records } = session;
  const { command, actor, reason, from, nonce } = pending;
  const { guard, name, args, line } = pending.call;
  const found =
    outcome.kind === "mined" ? await minedPart(session, pending, outcome.receipt) : replacedPart(pending);
  const entry: HistoryEntry = {
    at: new Date(world.now()).toISOString(),
    chainId: connection.chainId,
    network: connection.networkName,
    command,
    actor,
    commit: await world.commit(),
    reason,
    guard,
    from,
    call: { name, args: [...args] },
    line,
    nonce,
    ...found,
  };
  // History first: between the two steps a crash leaves a pending file whose outcome is found again, not lost.
  if (!(await records.historyHas(entry))) await records.appendHistory(entry);
  await records.clearPending();
  return entry;
}

/**
 * Waits until the transaction has an outcome, which then is in the history.
 * @throws UnderWay where it has none in time; UpstreamUnavailable
 */
export async function settled(session: Session, pending: Pending, pace: Pace): Promise<HistoryEntry> {
  const { world, connection } = session;
  const deadline = world.now() + pace.patienceMs;
  for (;;) {
    const entry = await settle(session, pending, await lookUp(session, pending, pace.lagMs));
    if (entry !== null) return entry;
    if (world.now() >= deadline) throw noBlockYet(pending);
    await world.sleep(connection.live ? pace.pollMs : LOCAL_POLL_MS);
  }
}

export function noBlockYet({ attempts, nonce }: Pending): UnderWay {
  const hash = attempts.at(-1)?.hash ?? `with nonce ${nonce}, whose signer did not answer,`;
  return new UnderWay(
    `No block has the transaction ${hash} yet. It is recorded: run the command again to continue with it.`,
  );
}

type Found = Pick<HistoryEntry, "transaction" | "outcome" | "block" | "gasUsed" | "events" | "readBack">;

const replacedPart = ({ attempts }: Pending): Found => ({
  transaction: attempts.at(-1)?.hash ?? null,
  outcome: "replaced",
  block: null,
  gasUsed: null,
  events: [],
  readBack: [],
});

async function minedPart(
  session: SettleSession,
  { call: { guard, manager, expects } }: Pending,
  { status, hash, blockNumber, gasUsed, logs }: TransactionReceipt,
): Promise<Found> {
  const place = { guard, manager: manager ?? guard };
  return {
    transaction: hash,
    outcome: status === 1 ? "confirmed" : "reverted",
    block: blockNumber,
    gasUsed: gasUsed.toString(),
    events: guardEvents(place, logs),
    readBack: status === 1 ? await readBack(session, place, expects, blockNumber) : [],
  };
}

async function readBack(
  { connection: { provider } }: SettleSession,
  place: { readonly guard: string; readonly manager: string },
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

/** @throws Reverted, Refused when the entry is no success */
export function assertAsSent(entry: HistoryEntry): void {
  const { line, transaction, block } = entry;
  if (entry.outcome === "reverted")
    throw new Reverted(
      `The transaction ${transaction} was mined in block ${block} and reverted: ${line}. Nothing changed.`,
    );
  if (entry.outcome === "replaced")
    throw new Refused(
      `Another transaction of ${entry.from} used the nonce ${entry.nonce}; this one was not mined: ${line}.`,
    );
  const wrong = entry.readBack.filter(({ asSent }) => !asSent);
  if (wrong.length > 0)
    throw new Refused(
      `After ${transaction} the guard says ${wrong.map(({ what, value }) => `${what}: ${value}`).join(", ")}, which is not what was sent.`,
    );
}

/**
 * Looks up the transactions under way, of each pace, and prints what became of them. One with an outcome goes into
 * the history.
 * @returns the steady one that still has no outcome and so blocks others, or null; an urgent one blocks none
 * @throws Unusable; UpstreamUnavailable
 */
export async function reportPending(session: Session): Promise<Pending | null> {
  await reportOne(session, URGENT);
  return await reportOne(session, STEADY);
}

/** As `reportPending`, for one pace. */
export async function reportOne(session: Session, pace: Pace): Promise<Pending | null> {
  const found = await pendingNow(session, pace);
  if (found === null) return null;
  const { pending, outcome, entry } = found;
  const { out } = session.world;
  out(`An earlier "${pending.command}" was not seen to finish: ${pending.call.line}.`);
  out(
    `Transaction ${pending.attempts.at(-1)?.hash ?? "not known"}, nonce ${pending.nonce} of ${pending.from}.`,
  );
  for (const line of entry === null ? [whereabouts(outcome)] : outcomeLines(entry)) out(line);
  out("");
  return entry === null ? pending : null;
}

/** What is written down of a pace, and what became of it; one with an outcome goes into the history. */
export async function pendingNow(session: SettleSession, pace: Pace) {
  const records = session.records.at(pace);
  const pending = await records.readPending();
  if (pending === null) return null;
  const outcome = await lookUp(session, pending, STEADY.lagMs);
  return { pending, outcome, entry: await settle({ ...session, records }, pending, outcome) };
}

const whereabouts = ({ kind }: Outcome): string =>
  kind === "waiting"
    ? "The node knows it, but no block has it yet."
    : "The node does not know it: it was dropped, or never sent.";

function outcomeLines({ outcome, block, readBack }: HistoryEntry): string[] {
  if (outcome === "replaced")
    return ["Another transaction of the account used its nonce; the history now says so."];
  return [
    `It was ${outcome} in block ${block}; the history has it now.`,
    ...readBack.map(
      ({ what, value, asSent }) =>
        `   read back ${what}: ${value}${asSent ? "" : ", which is NOT what was sent"}`,
    ),
  ];
}
