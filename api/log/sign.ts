/**
 * Signs placed entries, in the one process that holds the lease. A checkpoint is written to the file of the last one before
 * anybody can see it: after any crash the log knows what it may have signed. A frozen process that lost the lease cannot
 * publish what it signs: its statement is fenced. Its file does no harm either (`lastCheckpoint.ts`).
 */
import { type ReadNodes, rootAt } from "../../attestor/log/proving.ts";
import type { UnixMs } from "../../attestor/values/time.ts";
import type { Caches } from "../../chain/caches.ts";
import { type Fence, LeaseLost, whileHeld } from "../../database/lease.ts";
import type { Database } from "../../database/open.ts";
import type { Logger } from "../metrics/logger.ts";
import type { WitnessSetting } from "../settings/logSettings.ts";
import { checkpointIn, contradiction, type EarlierCheckpoint, startAudit } from "./audit.ts";
import { beginLog, findLogTree, type LogTree } from "./entries.ts";
import { FAST_HASHER } from "./hasher.ts";
import type { LogSigner } from "./key.ts";
import { type LastCheckpoints, stateFault } from "./lastCheckpoint.ts";
import { notSigned } from "./state.ts";
import { createTreeReader } from "./tiles.ts";
import { cosign, needsCosignature, type Witnesses } from "./witnesses.ts";

export interface SignDeps {
  readonly db: Database;
  readonly caches: Caches;
  /** What the log is called when it begins. */
  readonly origin: string;
  readonly signer: LogSigner;
  readonly lastCheckpoints: LastCheckpoints;
  readonly witnesses: Witnesses;
  readonly asked: readonly WitnessSetting[];
  now(): UnixMs;
  readonly log: Logger;
  /** Runs the making of a checkpoint, and looks on. */
  readonly watch?: <T>(run: () => Promise<T>) => Promise<T>;
}

/** How each reason begins why nobody knows what a log signed last. */
export const LOST = "the file of its last checkpoint is missing, as after a restore from a backup";

type OnLost = (log: LogTree, why: string) => void;

export type Publisher = ReturnType<typeof createPublisher>;

/** A checkpoint that this process signed. */
interface Signed {
  readonly checkpoint: EarlierCheckpoint;
  readonly note: string;
}

/**
 * For as long as this process has the lease: the next time everything is looked at anew.
 * @param onLost told of a log of which nobody knows what it signed last, and why
 */
export function createPublisher(deps: SignDeps, fence: Fence, onLost: OnLost = () => {}) {
  const { db, log, watch } = deps;
  const tree = createTreeReader(db, deps.caches);
  const audit = startAudit({ db, log, refuse: (reason) => refuse(deps, reason) });
  /** What it signed last; null: it has not begun to. */
  let last: Signed | null = null;
  // One after the other: what is signed never shrinks.
  let turn: Promise<void> = Promise.resolve();

  async function publish(grown: LogTree | null): Promise<void> {
    const found = last !== null && grown !== null ? grown : await begunLog(deps);
    if (found === undefined || found.refused !== null || !isToSign(found, last)) return;
    await (watch?.(() => sign(found)) ?? sign(found));
  }

  /** @throws Problem `unavailable` where the file cannot be read or written, or the key does not sign; LeaseLost */
  async function sign(found: LogTree): Promise<void> {
    const { origin, size } = found;
    const nodes = tree.nodes(size);
    const fault =
      (await contradicted(deps, found, nodes, last, onLost)) ??
      (last === null ? await audit.begin(size) : null);
    if (fault !== null) return await refuse(deps, fault);
    const checkpoint = { origin, size, root: await rootAt(size, nodes, FAST_HASHER) };
    const note = await deps.signer.sign(checkpoint);
    await filed(deps.lastCheckpoints.write(origin, note));
    last = { checkpoint: { ...checkpoint, from: "that was signed before" }, note };
    const { numUpdatedRows } = await db
      .updateTable("log_tree")
      .set({ checkpoint: note, signed_size: size, signed_at: deps.now() })
      .where("origin", "=", origin)
      .where("signed_size", "<=", size)
      .where(whileHeld(fence))
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw new LeaseLost(fence);
  }

  return {
    /**
     * Signs the log where it has entries which no checkpoint has.
     * @param grown the log that just grew, as it is now: it is not looked for then
     * @throws DatabaseUnavailable; LeaseLost
     */
    publish(grown: LogTree | null = null) {
      const mine = turn.then(() => publish(grown));
      turn = mine.catch(() => {});
      return mine;
    },
    /** Asks the witnesses for their signatures, where there is a checkpoint without. */
    async askWitnesses() {
      if (deps.asked.length === 0) return;
      const found = await findLogTree(db);
      if (found !== undefined && found.checkpoint !== null && needsCosignature(found))
        await cosign({ ...deps, fence, tree }, found, found.checkpoint);
    },
    stop: () => audit.stop(),
  };
}

/** Any process may record it, with or without the lease: a contradiction is one in all of them. */
async function refuse({ db, log }: SignDeps, reason: string): Promise<void> {
  log.error({ reason }, "the decision log is no longer signed: see docs/run/runbooks/decision-log.md");
  await db.updateTable("log_tree").set({ refused: reason }).where("refused", "is", null).execute();
}

/** The log begins before its first entry, so that readers find a checkpoint of size 0. */
async function begunLog({ db, origin, now }: SignDeps): Promise<LogTree | undefined> {
  const found = await findLogTree(db);
  if (found !== undefined) return found;
  await beginLog(db, origin, now());
  return await findLogTree(db);
}

/** A log that was signed before is looked through and signed again when a process begins: somebody may have changed it. */
function isToSign({ size, signed_size, checkpoint }: LogTree, last: Signed | null): boolean {
  if (last === null || checkpoint === null) return true;
  // Somebody who looked for himself may have been first.
  return size > Math.max(signed_size, last.checkpoint.size);
}

/**
 * Compares the tree with what was signed of it, by everybody who could know.
 * @returns what contradicts, in words; null when nothing does
 */
async function contradicted(
  deps: SignDeps,
  found: LogTree,
  nodes: ReadNodes,
  last: Signed | null,
  onLost: OnLost,
): Promise<string | null> {
  let earlier: readonly EarlierCheckpoint[];
  try {
    const { checkpoint: note } = found;
    const stored = note === null || note === last?.note ? [] : [checkpointIn(note, "in the database")];
    earlier = [...(last === null ? await remembered(deps, found, onLost) : [last.checkpoint]), ...stored];
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "LogError") throw error;
    return `what it signed last cannot be read: ${error.message}`;
  }
  return await contradiction(found, nodes, earlier);
}

/** The checkpoints of the file and of the witnesses. @throws Problem `unavailable` where nobody knows the last one */
async function remembered(
  deps: SignDeps,
  found: LogTree,
  onLost: OnLost,
): Promise<readonly EarlierCheckpoint[]> {
  const kept = await filed(deps.lastCheckpoints.read(found.origin));
  const seen = await Promise.all(deps.asked.map((witness) => seenBy(deps, witness, found.origin)));
  const why = kept === null ? whyLost(found, deps.asked, seen) : null;
  if (why !== null) {
    onLost(found, why);
    throw notSigned(why);
  }
  const file = kept === null ? [] : [checkpointIn(kept, "in the file")];
  return [...file, ...seen.flatMap((checkpoint) => checkpoint ?? [])];
}

/** What goes wrong with the file is nobody's fault who waits for it. */
const filed = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw notSigned(stateFault(error), error);
  });

/** @returns null: it saw nothing; undefined: it could not be asked */
async function seenBy(
  { witnesses, log }: SignDeps,
  witness: WitnessSetting,
  origin: string,
): Promise<EarlierCheckpoint | null | undefined> {
  try {
    const checkpoint = await witnesses.lastOf(witness, origin);
    return checkpoint && { ...checkpoint, from: `that ${witness.key.name} has seen` };
  } catch (error) {
    const fault = (error as Error).message;
    log.warn({ witness: witness.key.name, fault }, "a witness could not be asked");
    return undefined;
  }
}

/**
 * A log without the file may have been restored from a backup, and what it signed since is then known to its witnesses
 * alone. Nobody else can say that the database is not older than the log.
 * @param seen by each of those asked
 * @returns why it must not be signed, the end of a sentence; null: a witness says what it signed, or it never signed entries
 */
function whyLost(
  { signed_size }: LogTree,
  asked: readonly WitnessSetting[],
  seen: readonly (EarlierCheckpoint | null | undefined)[],
): string | null {
  if (signed_size === 0) return null;
  const silent = asked.filter((_, n) => seen[n] === undefined).map(({ key }) => key.name);
  if (silent.length > 0) return `${LOST}, and ${silent.join(", ")} cannot be asked what it cosigned`;
  if (seen.some((checkpoint) => checkpoint !== null)) return null;
  return `${LOST}, and no witness saw it (assay log supersede)`;
}
