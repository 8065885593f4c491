/**
 * Read this first: the decision log from a report to its proof.
 *
 * - The entry, in the report's own transaction: `entries.ts`
 * - Its place in the tree, by any process: `grow.ts`, under the condition of its size
 * - The signed checkpoint, by the lease's holder: `sign.ts`, compared with earlier ones (`audit.ts`, `lastCheckpoint.ts`)
 * - What others saw of it: `witnesses.ts`
 * - Proofs, and tiles, entries and checkpoints for everybody: `serve.ts`
 * - Its key: `key.ts`, opened by `openKey.ts`
 * - Its state, for operators: `state.ts`
 */
import { setTimeout as sleep } from "node:timers/promises";
import { isDatabaseUnavailable } from "../../database/errors.ts";
import { type Fence, LeaseLost } from "../../database/lease.ts";
import { engineOf } from "../../database/open.ts";
import { withinTime } from "../http/deadline.ts";
import { Problem } from "../http/problems.ts";
import type { Logger } from "../metrics/logger.ts";
import { repeat } from "../repeat.ts";
import type { Logged, LogTree } from "./entries.ts";
import { BATCH, createGrower } from "./grow.ts";
import { proofOfReport } from "./serve.ts";
import { createPublisher, type Publisher, type SignDeps } from "./sign.ts";
import { logState, refuseUnsigned, unavailable } from "./state.ts";
import { createTreeReader } from "./tiles.ts";

/** How often entries that nobody waits for get their places and their checkpoint. */
const ROUND_EVERY_MS = 250;
/** The same where other processes place entries, whose callers wait: on PostgreSQL. */
const LOOK_EVERY_MS = { postgres: 20, sqlite: ROUND_EVERY_MS };
const WITNESSES_EVERY_MS = 2_000;
/** Until another process, which signs, is asked again whether it has. */
const ASK_EVERY_MS = 15;
/** Until witnesses are asked again what they saw of a log whose file is gone. */
const ASK_WITNESSES_EVERY_MS = 15_000;
const UNSIGNED =
  "The judgement is stored, but it is not yet in a signed checkpoint of the decision log; try again.";

export interface LogDeps extends SignDeps {
  /** How long a certificate waits for its checkpoint, in milliseconds. */
  readonly patienceMs: number;
}

export type DecisionLog = ReturnType<typeof createLog>;

export function createLog(deps: LogDeps) {
  const { db, caches, log } = deps;
  const grow = createGrower(deps);
  const tree = createTreeReader(db, caches);
  const quietly = quietlyWith(log);
  let publisher: Publisher | null = null;
  const lost = rememberLost(deps);

  const round = sharedRounds(async () => {
    let growth = await grow();
    // What comes in meanwhile is the next round's.
    while (growth.count === BATCH) growth = await grow();
    await publisher?.publish(growth.tree).catch(unlessLost);
  });

  const fault = () =>
    deps.signer.fault?.() ? "its key cannot sign" : (deps.lastCheckpoints.fault() ?? lost.fault());

  async function untilSigned(report: Logged, until: AbortSignal): Promise<string> {
    for (;;) {
      await round();
      const proof = await proofOfReport(db, tree, report);
      if (proof !== null) return proof;
      await refuseUnsigned(db);
      await sleep(ASK_EVERY_MS, undefined, { signal: until });
    }
  }

  return {
    /** Proof of a stored report, by the newest checkpoint (a cosigned one before others); null while there is none. */
    proofOf: (report: Logged) => proofOfReport(db, tree, report),
    /** @throws Problem `unavailable` while nothing can be signed: the signer notices at once, others by the released lease */
    assertSigning: () => refuseUnsigned(db, publisher === null ? null : fault()),
    /** Why this process could not sign: its key, or the file of its last checkpoint. null: it could. */
    fault,
    /** Waits until a stored report is in a signed checkpoint. @returns its proof @throws Problem `unavailable` after too long */
    async signed(report: Logged) {
      const ending = new AbortController();
      const proof = await withinTime(untilSigned(report, ending.signal), deps.patienceMs, () => null);
      ending.abort();
      if (proof === null) throw unavailable(UNSIGNED);
      return proof;
    },
    /** @throws DatabaseUnavailable */
    state: () => logState(db),
    /**
     * Signs from now on, and places what nobody waits for: the work of the one process that has the lease. Without it what
     * is asked for here is placed by this process, and signed by the other.
     */
    publish(fence: Fence) {
      const current = createPublisher(deps, fence, lost.note);
      publisher = current;
      const publishNow = () => current.publish().catch(unlessLost);
      const background = [
        repeat(quietly(round), ROUND_EVERY_MS),
        repeat(quietly(publishNow), LOOK_EVERY_MS[engineOf(db)]),
        repeat(quietly(current.askWitnesses), WITNESSES_EVERY_MS),
      ];
      return {
        async stop() {
          await Promise.all(background.map((each) => each.stop()));
          // What came last is signed too, where that is possible.
          await quietly(round)();
          if (publisher === current) publisher = null;
          await quietly(current.stop)();
        },
      };
    },
  };
}

/** Why nobody knows what a log signed last, until the file is there or witnesses are to be asked again. */
function rememberLost({ log, asked, now, lastCheckpoints }: LogDeps) {
  let lost: { readonly origin: string; readonly why: string; readonly until: number } | null = null;
  return {
    note({ origin }: LogTree, why: string): void {
      if (lost?.why !== why) log.error({ log: origin, why }, "the decision log is not signed");
      const until = asked.length === 0 ? Number.POSITIVE_INFINITY : now() + ASK_WITNESSES_EVERY_MS;
      lost = { origin, why, until };
    },
    fault: (): string | null =>
      lost !== null && now() < lost.until && !lastCheckpoints.has(lost.origin) ? lost.why : null,
  };
}

/** Database, key and folder say themselves what ails them, and work again when they are back. */
const quietlyWith = (log: Logger) => (work: () => Promise<void>) => async () => {
  try {
    await work();
  } catch (error) {
    if (!isDatabaseUnavailable(error) && !(error instanceof Problem))
      log.error({ err: error }, "a round of the decision log failed");
  }
};

/** Another process signs now: who waits here sees what it signed. */
function unlessLost(error: unknown): void {
  if (!(error instanceof LeaseLost)) throw error;
}

/**
 * @param round may throw: then everybody's who waited for it
 * @returns what resolves at the end of a round that began after it was called
 */
function sharedRounds(round: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  const start = (): Promise<void> => {
    const begun = round().finally(() => {
      if (running === begun) running = null;
    });
    running = begun;
    return begun;
  };
  return () => {
    if (running === null) return start();
    next ??= running
      .catch(() => {})
      .then(() => {
        next = null;
        // Somebody may have begun one in between: it is late enough for all who waited.
        return running ?? start();
      });
    return next;
  };
}
