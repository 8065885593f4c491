/** Whether the parts that every request needs do their work: asked once a second at most, for all who want to know. */
import type { UnixMs } from "../../attestor/values/time.ts";
import { isDatabaseUnavailable } from "../../database/errors.ts";
import { timedMemo } from "../../market/providers/timedMemo.ts";
import { withinTime } from "../http/deadline.ts";
import type { LogState } from "../log/state.ts";

/** Each resolves when the part answers and rejects when it does not. */
export type Probes = Readonly<Record<"database" | "chain", () => Promise<unknown>>>;

const PROBE_TIMEOUT_MS = 2_000;
/** An answer counts so long for all who ask: a probe costs a write and a call of the node. */
const PROBES_LAST_MS = 1_000;

export type Check = "up" | "down";

export interface Health {
  readonly checks: Readonly<Record<keyof Probes, Check>>;
  /** Why the database is down, for clients too; null: it is up, or that is not known. */
  readonly databaseReason: string | null;
  /** Null: not found out in time. */
  readonly log: LogHealth | null;
}

/** The decision log, in ages. */
export interface LogHealth {
  readonly name: string | null;
  readonly entries: number;
  readonly signedEntries: number;
  /** Seconds. */
  readonly signedAgo: number | null;
  readonly waiting: number;
  readonly refused: string | null;
  /** Why no process signs it at the moment. */
  readonly fault: string | null;
}

export interface HealthSources {
  readonly probes: Probes;
  /** Milliseconds on a clock that never goes back. */
  monotonic(): number;
  /** @throws DatabaseUnavailable */
  readonly logState: () => Promise<LogState>;
  now(): UnixMs;
}

/** @returns never rejects; the same answer for all who ask within a second */
export function createHealth(sources: HealthSources): () => Promise<Health> {
  const answers = timedMemo<Health>(PROBES_LAST_MS, sources.monotonic);
  return () => answers("health", () => findHealth(sources));
}

async function findHealth(sources: HealthSources): Promise<Health> {
  const { probes } = sources;
  let databaseReason: string | null = null;
  const probeDatabase = () =>
    probes.database().catch((error: unknown) => {
      if (isDatabaseUnavailable(error)) databaseReason = error.reason;
      throw error;
    });
  const [database, chain, log] = await Promise.all([
    check(probeDatabase),
    check(probes.chain),
    logOf(sources),
  ]);
  return { checks: { database, chain }, databaseReason, log };
}

/** What goes wrong here shows elsewhere: the service serves without it. */
function logOf({ logState, now }: HealthSources): Promise<LogHealth | null> {
  const found = logState().then(
    ({ name, size, signedSize, signedAt, waiting, refused, fault }) => ({
      name,
      entries: size,
      signedEntries: signedSize,
      signedAgo: signedAt === null ? null : Math.max(0, Math.floor((now() - signedAt) / 1_000)),
      waiting,
      refused,
      fault,
    }),
    () => null,
  );
  return withinTime(found, PROBE_TIMEOUT_MS, () => null);
}

/** @returns whether the part answered in time; never rejects */
export function check(probe: () => Promise<unknown>, timeoutMs = PROBE_TIMEOUT_MS): Promise<Check> {
  const answer = Promise.resolve()
    .then(probe)
    .then(
      () => "up" as const,
      () => "down" as const,
    );
  return withinTime(answer, timeoutMs, () => "down" as const);
}
