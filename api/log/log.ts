/**
 * Read this first: the decision log from a report to its proof.
 *
 * - The entry, in the report's own transaction: `entries.ts`
 * - Its place in the tree, by any process: `integrate.ts`, under the condition of its size
 * - The signed checkpoint, by the lease's holder: `publish.ts`, compared with earlier ones (`vet.ts`, `files.ts`)
 * - What others saw of it: `witnesses.ts`
 * - Tiles, entries and checkpoints for everybody: `answers.ts`
 * - The proof in a report's answer: `proofOfReport`, below
 * - Its state, for operators: `state.ts`, `metrics.ts`
 */
import { setTimeout as sleep } from "node:timers/promises";
import { entryOf, entryText } from "../../attestor/log/entry.ts";
import { inclusionProof } from "../../attestor/log/proving.ts";
import { tlogProofText } from "../../attestor/log/tlogProof.ts";
import { isDatabaseUnavailable } from "../../database/errors.ts";
import { type Fence, LeaseLost } from "../../database/lease.ts";
import { type Database, engineOf } from "../../database/open.ts";
import { withinTime } from "../http/deadline.ts";
import { Problem } from "../http/problems.ts";
import type { Logger } from "../metrics/logger.ts";
import { type Repeated, repeat } from "../repeat.ts";
import { type Logged, placeOf } from "./entries.ts";
import { FAST_HASHER } from "./hasher.ts";
import { BATCH, createIntegrator } from "./integrate.ts";
import { findLogTree } from "./logTree.ts";
import { rememberLost } from "./lostWord.ts";
import { createTreeReader, type TreeReader } from "./nodes.ts";
import { createPublisher, type PublishDeps, type Publisher } from "./publish.ts";
import { rememberRecent } from "./recent.ts";
import { logState, refuseUnsigned, unavailable } from "./state.ts";

/** How often entries that nobody waits for get their places and their checkpoint. */
const ROUND_EVERY_MS = 250;
/** The same where other processes place entries, whose callers wait: on PostgreSQL. */
const LOOK_EVERY_MS = { postgres: 20, sqlite: ROUND_EVERY_MS };
const WITNESSES_EVERY_MS = 2_000;
/** Until another process, which signs, is asked again whether it has. */
const ASK_EVERY_MS = 15;
const UNSIGNED =
  "The judgement is stored, but it is not yet in a signed checkpoint of the decision log; try again.";

export interface LogDeps extends PublishDeps {
  /** How long a certificate waits for its checkpoint, in milliseconds. */
  readonly patienceMs: number;
}

export type DecisionLog = ReturnType<typeof createLog>;

export function createLog(deps: LogDeps) {
  const { db, log, caches } = deps;
  const recent = rememberRecent(caches);
  const integrator = createIntegrator(deps, recent);
  const tree = createTreeReader(db, caches);
  let publisher: Publisher | null = null;

  const round = sharedRounds(async () => {
    let step = await integrator.step();
    // What comes in meanwhile is the next round's.
    while (step.count === BATCH) step = await integrator.step();
    await publisher?.publish(step.tree).catch(unlessLost);
  });
  const quietly = quietlyWith(log);
  const proofOf = (report: Logged) => proofOfReport(db, tree, report);
  const lost = rememberLost(deps);
  const fault = () =>
    deps.signer.fault?.() ? "its key cannot sign" : (deps.lastWords.fault() ?? lost.fault());

  async function untilSigned(report: Logged, until: AbortSignal): Promise<string> {
    const entry = report.log && entryText(entryOf(report, report.log.salt));
    for (;;) {
      await round();
      const proof = (entry && (await recent.proofOf(entry))) ?? (await proofOf(report));
      if (proof !== null) return proof;
      await refuseUnsigned(db);
      await sleep(ASK_EVERY_MS, undefined, { signal: until });
    }
  }

  return {
    /** Proof of a stored report, by the newest checkpoint (a cosigned one before others); null while there is none. */
    proofOf,
    /** @throws Problem `unavailable` while nothing can be signed: the signer notices at once, others by the released lease */
    assertSigning: () => refuseUnsigned(db, publisher === null ? null : fault()),
    /** Why this process could not sign: its key, or the folder of last words. null: it could. */
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
      const own = createPublisher({ ...deps, onLost: lost.note }, fence, recent);
      publisher = own;
      const look = () => own.publish().catch(unlessLost);
      const background: Repeated[] = [
        repeat(quietly(round), ROUND_EVERY_MS),
        repeat(quietly(look), LOOK_EVERY_MS[engineOf(db)]),
        repeat(quietly(own.askWitnesses), WITNESSES_EVERY_MS),
      ];
      return {
        async stop() {
          await Promise.all(background.map((each) => each.stop()));
          // What came last is signed too, where that is possible.
          await quietly(round)();
          if (publisher === own) publisher = null;
          await quietly(own.stop)();
        },
      };
    },
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

async function proofOfReport(db: Database, tree: TreeReader, report: Logged): Promise<string | null> {
  if (report.log === undefined) return null;
  const entry = entryText(entryOf(report, report.log.salt));
  const position = await placeOf(db, report.evidenceHash, entry);
  const found = position === null ? undefined : await findLogTree(db);
  if (position === null || found === undefined) return null;
  const [size, checkpoint] =
    found.cosigned_size > position
      ? [found.cosigned_size, found.cosigned]
      : [found.signed_size, found.checkpoint];
  if (size <= position || checkpoint === null) return null;
  const path = await inclusionProof(position, size, tree.nodes(size), FAST_HASHER);
  return tlogProofText({ index: position, path, checkpoint });
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
