/**
 * Follows submitted transactions until they are final. Its whole state is in the database, so it continues there after a
 * restart. A confirmation is revoked when its block is reorganized away.
 *
 * Two rounds run independently, so that neither waits for the other. One reads the guard's events and checks what they
 * name. The other checks everything else in the order of `lookOrder.ts`, a limited number at a time. A transaction that
 * the node answers with an error, or not at all, costs its own turn and nobody else's.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Chain } from "../../chain/chain.ts";
import { type Repeated, repeat } from "../repeat.ts";
import { dueOfRank, isAnyOpen, longestDue, type StoredExecution } from "./executions.ts";
import { createTradeFollower } from "./followTrades.ts";
import { type LookDeps, look } from "./look.ts";
import { KNOWN, TRADED, YOUNG_RANKS } from "./lookOrder.ts";

export interface WatcherDeps extends LookDeps {
  readonly chain: Chain;
  readonly log: { warn(details: object, message: string): void };
}

export type Watcher = ReturnType<typeof startWatcher>;

/** Of a round's looks: those that the node knows already, each young rank, and what has waited longest. */
const KNOWN_SHARE = 24;
const YOUNG_SHARE = 8;
const OLD_SHARE = 16;
const LOOKS_A_ROUND = KNOWN_SHARE + YOUNG_RANKS.length * YOUNG_SHARE + OLD_SHARE;
const LOOKS_AT_ONCE = 16;
/** After this a round begins no more looks, and waits no longer for those that the node does not answer. */
const ROUND_MS = 1_000;
const PATIENCE_MS = 1_000;

export function startWatcher(deps: WatcherDeps) {
  const { db, chain, clock, log, pollMs } = deps;
  const follow = createTradeFollower(deps);
  const underWay = new Map<string, Promise<unknown>>();
  let stopped = false;

  /** What the guard's events name. Without events, others are named by nobody and all are looked at below. */
  async function followRound(): Promise<void> {
    if (!(await isAnyOpen(db))) return;
    try {
      await follow();
    } catch (error) {
      log.warn({ err: error }, "the guard's events could not be read; will try again");
    }
    await lookAtAll(await dueOfRank(db, TRADED, clock(), LOOKS_A_ROUND));
  }

  async function lookRound(): Promise<void> {
    const due = await pick(deps);
    if (due.length > 0) await lookAtAll(due);
  }

  /** A look that outlives its round goes on by itself. */
  function lookOnce(execution: StoredExecution): Promise<unknown> {
    const running = look(deps, execution).finally(() => underWay.delete(execution.id));
    underWay.set(execution.id, running);
    return running;
  }

  async function lookAtAll(executions: readonly StoredExecution[]): Promise<void> {
    if (executions.length === 0) return;
    // A node that is away says nothing about any of them: they stay due.
    await chain.head();
    const end = clock() + ROUND_MS;
    const queue = executions.filter(({ id }) => !underWay.has(id));
    const errors: unknown[] = [];
    const lane = async (): Promise<void> => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        if (stopped || clock() > end) return;
        const error = await Promise.race([lookOnce(next), sleep(PATIENCE_MS, undefined, { ref: false })]);
        if (error !== undefined) errors.push(error);
      }
    };
    await Promise.all(Array.from({ length: Math.min(LOOKS_AT_ONCE, queue.length) }, lane));
    if (errors.length > 0)
      log.warn({ err: errors[0], count: errors.length }, "submissions could not be checked; will try again");
  }

  /** Never throws: when chain or database are away the rows stay due, and the next round tries again. */
  const guarded = (round: () => Promise<void>) => async (): Promise<void> => {
    if (stopped) return;
    await round().catch((error: unknown) =>
      log.warn({ err: error }, "executions could not be watched; will try again"),
    );
  };
  const rounds: readonly Repeated[] = [followRound, lookRound].map((round) => repeat(guarded(round), pollMs));

  return {
    /** One round over everything that is due. */
    async tick(): Promise<void> {
      await Promise.all(rounds.map((round) => round.now()));
    },
    /** Looks soon, because something new was submitted. */
    nudge(): void {
      for (const round of rounds) round.soon();
    },
    /** Ends after the running rounds. */
    async stop(): Promise<void> {
      stopped = true;
      await Promise.all(rounds.map((round) => round.stop()));
      await Promise.allSettled(underWay.values());
    },
  };
}

/** What a round looks at: all that is due, or when that is too much, of each kind its share. */
async function pick({ db, clock }: WatcherDeps): Promise<StoredExecution[]> {
  const now = clock();
  const longest = await longestDue(db, now, LOOKS_A_ROUND);
  if (longest.length < LOOKS_A_ROUND) return longest.filter(({ look_rank }) => look_rank !== TRADED);
  const picked = new Map<string, StoredExecution>();
  for (const execution of await dueOfRank(db, KNOWN, now, KNOWN_SHARE)) picked.set(execution.id, execution);
  for (const rank of YOUNG_RANKS)
    for (const execution of await dueOfRank(db, rank, now, YOUNG_SHARE)) picked.set(execution.id, execution);
  for (const execution of longest.slice(0, OLD_SHARE)) picked.set(execution.id, execution);
  return [...picked.values()].filter(({ look_rank }) => look_rank !== TRADED);
}
