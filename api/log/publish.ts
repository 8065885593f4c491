/**
 * Signs placed entries, in the one process that holds the lease. A checkpoint is written to the file of last words before
 * anybody can see it: after any crash the log knows what it may have signed. A frozen process that lost the lease cannot
 * publish what it signs: its statement is fenced. Its file does no harm either (`files.ts`).
 */
import { parseNote } from "../../attestor/log/note.ts";
import { rootAt } from "../../attestor/log/proving.ts";
import { sameBytes } from "../../attestor/values/bytes.ts";
import type { UnixMs } from "../../attestor/values/time.ts";
import type { Caches } from "../../chain/caches.ts";
import { type Fence, LeaseLost, whileHeld } from "../../database/lease.ts";
import type { Database } from "../../database/open.ts";
import type { Logger } from "../metrics/logger.ts";
import type { WitnessSetting } from "../settings/logSettings.ts";
import { type LastWords, stateFault } from "./files.ts";
import { FAST_HASHER } from "./hasher.ts";
import type { LogSigner } from "./key.ts";
import { beginLog, findLogTree, type LogTree } from "./logTree.ts";
import { lostWord } from "./lostWord.ts";
import { createTreeReader, type TreeReader } from "./nodes.ts";
import type { Recent } from "./recent.ts";
import { notSigned } from "./state.ts";
import { type Audit, contradiction, startAudit, type Word, wordIn } from "./vet.ts";
import { cosign, needsCosignature, type Witnesses } from "./witnesses.ts";

export interface PublishDeps {
  readonly caches: Caches;
  readonly db: Database;
  /** What the log is called when it begins. */
  readonly origin: string;
  readonly signer: LogSigner;
  readonly lastWords: LastWords;
  readonly witnesses: Witnesses;
  readonly asked: readonly WitnessSetting[];
  clock(): UnixMs;
  readonly log: Logger;
  /** Told of a log whose last word is lost, and why nobody can say it. */
  readonly onLost?: (log: LogTree, why: string) => void;
  /** Runs the making of a checkpoint, and looks on. */
  readonly watch?: <T>(run: () => Promise<T>) => Promise<T>;
}

/** What signing needs, and what this process knows of it. */
interface Publishing extends PublishDeps {
  readonly fence: Fence;
  readonly tree: TreeReader;
  readonly audit: Audit;
  /** What this process signed last of a log, or found when it began; by the log's name. */
  readonly last: Map<string, readonly Word[]>;
  /** Names of logs that this process has begun to sign. */
  readonly begun: Set<string>;
  readonly recent: Pick<Recent, "signed"> | undefined;
}

export type Publisher = ReturnType<typeof createPublisher>;

/**
 * For as long as this process has the lease: the next time everything is looked at anew.
 * @param recent told what was signed, once everybody can see it
 */
export function createPublisher(deps: PublishDeps, fence: Fence, recent?: Pick<Recent, "signed">) {
  const { db, log } = deps;
  const publishing: Publishing = {
    ...deps,
    fence,
    recent,
    tree: createTreeReader(db, deps.caches),
    audit: startAudit({ db, log, refuse: (reason) => refuse(deps, reason) }),
    last: new Map(),
    begun: new Set(),
  };
  const signed = (found: LogTree) => deps.watch?.(() => sign(publishing, found)) ?? sign(publishing, found);
  const publish = async (grown: LogTree | null): Promise<void> => {
    if (grown !== null && publishing.last.has(grown.origin)) {
      // Somebody who looked for himself may have been first.
      if (signedSize(publishing, grown) < grown.size) await signed(grown);
      return;
    }
    const found = await begunLog(deps);
    if (found !== undefined && isToSign(publishing, found)) await signed(found);
  };
  // One after the other: what is signed never shrinks.
  let turn: Promise<void> = Promise.resolve();
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
        await cosign(publishing, found, found.checkpoint);
    },
    stop: () => publishing.audit.stop(),
  };
}

/** The log begins before its first entry, so that readers find a checkpoint of size 0. */
async function begunLog({ db, origin, clock }: PublishDeps): Promise<LogTree | undefined> {
  const found = await findLogTree(db);
  if (found !== undefined) return found;
  await beginLog(db, origin, clock());
  return await findLogTree(db);
}

/** Any process may record it, with or without the lease: a contradiction is one in all of them. */
async function refuse({ db, log }: PublishDeps, reason: string): Promise<void> {
  log.error({ reason }, "the decision log is no longer signed: see docs/run/runbooks/decision-log.md");
  await db.updateTable("log_tree").set({ refused: reason }).where("refused", "is", null).execute();
}

/** A log that was signed before is looked through and signed again when a process begins: somebody may have changed it. */
function isToSign({ begun, signer }: Publishing, tree: LogTree): boolean {
  if (tree.refused !== null) return false;
  if (tree.size > tree.signed_size) return true;
  if (tree.checkpoint === null) return true;
  const isNew = !begun.has(tree.origin);
  begun.add(tree.origin);
  return isNew || !isSignedBy(signer, tree.origin, tree.checkpoint);
}

const signedSize = ({ last }: Publishing, { origin }: LogTree): number =>
  Math.max(0, ...(last.get(origin) ?? []).map(({ size }) => size));

function isSignedBy(signer: LogSigner, origin: string, checkpoint: string): boolean {
  const { id, name } = signer.keyOf(origin);
  return parseNote(checkpoint).signatures.some((line) => line.name === name && line.keyId === id);
}

/** @throws Problem `unavailable` where the file cannot be read or written, or the key does not sign; LeaseLost */
async function sign(publishing: Publishing, found: LogTree): Promise<void> {
  const { db, signer, tree, last, audit } = publishing;
  const { origin, size } = found;
  const words = await wordsOf(publishing, found).catch((error: Error) => error);
  // Requested together with the roots that it is compared with; its errors surface below.
  const rooting = rootAt(size, tree.nodes(size), FAST_HASHER);
  rooting.catch(() => {});
  if (words instanceof Error && words.name !== "LogError") throw words;
  const fault =
    words instanceof Error
      ? `what it signed last cannot be read: ${words.message}`
      : ((await contradiction(found, tree, words)) ?? (last.has(origin) ? null : await audit.begin(size)));
  if (fault !== null) return await refuse(publishing, fault);
  const root = await rooting;
  const checkpoint = { origin, size, root };
  const note = await signer.sign(checkpoint);
  await filed(publishing.lastWords.write(origin, note));
  last.set(origin, [{ ...checkpoint, from: "that was signed before" }]);
  const { numUpdatedRows } = await db
    .updateTable("log_tree")
    .set({ checkpoint: note, signed_size: size, signed_at: publishing.clock() })
    .where("origin", "=", origin)
    .where("signed_size", "<=", size)
    .where(whileHeld(publishing.fence))
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw new LeaseLost(publishing.fence);
  publishing.recent?.signed({ size, root, note });
}

/** What goes wrong with the file of last words is nobody's fault who waits for it. */
const filed = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw notSigned(stateFault(error), error);
  });

/** What was signed of a log, by everybody who could know. */
async function wordsOf(publishing: Publishing, found: LogTree): Promise<readonly Word[]> {
  const { origin, checkpoint } = found;
  const known = publishing.last.get(origin);
  const stored = checkpoint === null ? [] : [wordIn(checkpoint, "in the database")];
  if (known !== undefined) return withoutRepeats([...known, ...stored]);
  const kept = await filed(publishing.lastWords.read(origin));
  const seen = await Promise.all(publishing.asked.map((witness) => seenBy(publishing, witness, origin)));
  const why = kept === null ? lostWord(found, publishing.asked, seen) : null;
  if (why !== null) {
    publishing.onLost?.(found, why);
    throw notSigned(why);
  }
  return [
    ...stored,
    ...(kept === null ? [] : [wordIn(kept, "in the file")]),
    ...seen.flatMap((word) => word ?? []),
  ];
}

/** @returns null: it saw nothing; undefined: it could not be asked */
async function seenBy(
  { witnesses, log }: Publishing,
  witness: WitnessSetting,
  origin: string,
): Promise<Word | null | undefined> {
  try {
    const checkpoint = await witnesses.lastOf(witness, origin);
    return checkpoint && { ...checkpoint, from: `that ${witness.key.name} has seen` };
  } catch (error) {
    const fault = (error as Error).message;
    log.warn({ witness: witness.key.name, fault }, "a witness could not be asked");
    return undefined;
  }
}

/** The same word twice costs as much as two words. */
function withoutRepeats(words: readonly Word[]): Word[] {
  const isSame = (a: Word, b: Word) =>
    a.origin === b.origin && a.size === b.size && sameBytes(a.root, b.root);
  return words.filter((word, n) => !words.slice(0, n).some((earlier) => isSame(earlier, word)));
}
