/**
 * Read this first: reads that a streaming replica may answer. It is asked while it is near enough to the primary, and what
 * it does not answer at once the primary does. Reads that must see the caller's own writes are none of these.
 */
import { codeOf, isDatabaseUnavailable } from "../databaseErrors.ts";
import { besides, type Database, type OpenOptions, openDatabase } from "../open.ts";
import { createLagMeter } from "./lag.ts";
import { type History, lookAtPrimary, lookAtReplica, type PrimaryView, type ReplicaView } from "./look.ts";

/** How long the replica may leave a read, or a look at it, without a word. */
const REPLICA_PATIENCE_MS = 500;
/** Longer than a loaded primary takes; then it says nothing. */
const PRIMARY_PATIENCE_MS = 4_000;
const LOOK_EVERY_MS = 1_000;
/** For one look at the primary; one that takes longer says nothing about the lag. */
const PRIMARY_LOOK_MS = 1_000;
/**
 * While the primary is away nothing can be written, so that the replica has all that there is. But whether it is away for
 * everybody one process cannot know, so this ends.
 */
const WITHOUT_PRIMARY_MS = 600_000;

/** Why the replica is read, or not. */
export type ReplicaState =
  | "used"
  /** It is read, and nobody can say how far it is behind. */
  | "primary_away"
  | "lagging"
  | "away"
  /** It was promoted, or never followed anybody. */
  | "not_a_replica"
  /** Of another cluster, database or timeline than the primary. */
  | "other_history";

export interface ReplicaStatus {
  readonly state: ReplicaState;
  /** At most so many milliseconds ago was what it shows current; null: not known. */
  readonly lagMs: number | null;
  /** Reads since the start: answered by it, by the primary in its place, and of the latter those that it failed first. */
  readonly reads: { readonly replica: number; readonly primary: number; readonly failedOver: number };
}

export interface Reads {
  /**
   * Runs reads that belong together on one server. Where the replica fails any of them all run again, on the primary.
   * @param work must not write, and may run twice
   * @throws what `work` throws on the primary
   */
  run<T>(work: (db: Database) => Promise<T>): Promise<T>;
  /** null: there is no replica. */
  status(): ReplicaStatus | null;
  close(): Promise<void>;
}

export interface ReadsDeps {
  readonly primary: Database;
  readonly url: string;
  /** What the replica shows may be so old. */
  readonly maxLagMs: number;
  /** Milliseconds on a clock that never goes back. */
  monotonic(): number;
  /** Looks on while statements run on the replica. */
  readonly watch?: OpenOptions["watch"];
  readonly log: { warn(fields: object, message: string): void; info(fields: object, message: string): void };
}

/** Every read on the primary. */
export const primaryReads = (primary: Database): Reads => ({
  run: (work) => work(primary),
  status: () => null,
  close: async () => {},
});

/** @returns after the first look at both servers, which neither can hold up for long */
export async function openReads(deps: ReadsDeps): Promise<Reads> {
  const { primary, log } = deps;
  const replica = openDatabase(deps.url, {
    patienceMs: REPLICA_PATIENCE_MS,
    connectMs: REPLICA_PATIENCE_MS,
    isReplica: true,
    ...(deps.watch ? { watch: deps.watch } : {}),
  });
  // Connections of its own: where all of the primary's are busy, it is not away.
  const looked = besides(primary, { patienceMs: PRIMARY_PATIENCE_MS });
  const watch = createWatch({ ...deps, primary: looked }, replica);
  const reads = { replica: 0, primary: 0, failedOver: 0 };
  let told: ReplicaState | undefined;
  const tell = () => {
    const { state, lagMs } = watch.judge();
    if (state === told) return;
    told = state;
    if (state === "used") log.info({ state, lagMs }, "the read replica is read");
    else if (state === "primary_away") log.warn({ state, lagMs }, "the primary is away: the replica is read");
    else log.warn({ state, lagMs }, "the read replica is not read: the primary is");
  };
  const rounds = repeat(LOOK_EVERY_MS, async () => {
    await watch.look();
    tell();
  });
  await rounds.first;
  return {
    async run(work) {
      const { state } = watch.judge();
      if (state !== "used" && state !== "primary_away") {
        reads.primary++;
        return work(primary);
      }
      try {
        const result = await work(replica);
        reads.replica++;
        return result;
      } catch (error) {
        if (isDatabaseUnavailable(error)) watch.replicaFailed();
        tell();
        // Any error: the primary repeats those of the query itself.
        reads.failedOver++;
        reads.primary++;
        return work(primary);
      }
    },
    status: () => ({ ...watch.judge(), reads: { ...reads } }),
    close: async () => {
      rounds.stop();
      await Promise.all([replica.destroy(), looked.destroy()]);
    },
  };
}

/** What was found out last, and what follows of it at this moment. */
function createWatch({ primary, maxLagMs, monotonic }: ReadsDeps, replica: Database) {
  const meter = createLagMeter();
  let history: History | undefined;
  let fault: "away" | "not_a_replica" | "other_history" | null = "away";
  let isPrimaryAway = false;
  /** When the primary was heard of last. */
  let wasNear = false;
  const askPrimary = oneAtATime(() => lookAtPrimary(primary));

  const lagMs = () => {
    const at = meter.upToDateAt();
    return at === null ? null : Math.max(0, Math.round(monotonic() - at));
  };
  const isNear = () => {
    const lag = lagMs();
    return lag !== null && lag <= maxLagMs;
  };
  /** @returns whether it answered */
  const lookPrimary = async (): Promise<boolean> => {
    const at = monotonic();
    const seen = await askPrimary();
    if (seen === "slow") return false;
    isPrimaryAway = seen === "away";
    if (seen === "away") return false;
    if (history && !isSame(history, seen)) meter.forget();
    history = seen;
    meter.primaryWasAt(seen.position, at);
    return true;
  };
  const faultOf = (seen: ReplicaView) => {
    if (seen.replayed === null) return "not_a_replica";
    return history === undefined || isSame(history, seen) ? null : "other_history";
  };
  return {
    async look(): Promise<void> {
      const answered = await lookPrimary();
      const seen = await lookAtReplica(replica).catch(() => null);
      fault = seen === null ? "away" : faultOf(seen);
      if (fault === null && seen?.replayed != null) meter.replicaIsAt(seen.replayed);
      if (answered) wasNear = fault === null && isNear();
    },
    replicaFailed(): void {
      fault = "away";
    },
    judge(): { state: ReplicaState; lagMs: number | null } {
      const lag = lagMs();
      if (fault !== null) return { state: fault, lagMs: lag };
      if (isNear()) return { state: "used", lagMs: lag };
      const lasts = isPrimaryAway && wasNear && lag !== null && lag <= WITHOUT_PRIMARY_MS;
      return { state: lasts ? "primary_away" : "lagging", lagMs: lag };
    },
  };
}

const isSame = (one: History, other: History): boolean =>
  one.cluster === other.cluster && one.database === other.database && one.timeline === other.timeline;

/** The answer; `slow` while it is awaited, also of an earlier question; `away` where there is none. */
function oneAtATime(ask: () => Promise<PrimaryView>) {
  let pending: Promise<PrimaryView | "away" | "slow"> | undefined;
  let isWaiting = false;
  return async (): Promise<PrimaryView | "away" | "slow"> => {
    const isLate = isWaiting;
    isWaiting = true;
    pending ??= ask()
      .catch((error: unknown) => (isCrowded(error) ? ("slow" as const) : ("away" as const)))
      .finally(() => {
        pending = undefined;
        isWaiting = false;
      });
    const answer = await within(pending, PRIMARY_LOOK_MS);
    // What an earlier question found is older than this one.
    return isLate && answer !== "away" ? "slow" : answer;
  };
}

/** It has no room, or no time, for the question: it works, and others may write to it. */
function isCrowded(error: unknown): boolean {
  const cause = isDatabaseUnavailable(error) ? error.cause : error;
  return cause instanceof Error && /^(53|57014)/.test(codeOf(cause) ?? "");
}

async function within<T>(answer: Promise<T>, ms: number): Promise<T | "slow"> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"slow">((resolve) => {
    timer = setTimeout(resolve, ms, "slow");
    timer.unref();
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Again and again, with a pause between; keeps no process alive. @param round never rejects */
function repeat(pauseMs: number, round: () => Promise<void>): { first: Promise<void>; stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const go = async (): Promise<void> => {
    await round();
    if (stopped) return;
    timer = setTimeout(() => void go(), pauseMs);
    timer.unref();
  };
  return {
    first: go(),
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
