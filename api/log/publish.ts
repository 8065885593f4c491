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
import { lostWord } from "./lostWord.ts";
import { createTreeReader, type TreeReader } from "./nodes.ts";
import type { Recent } from "./recent.ts";
import { beginShard, listShards, type Shard } from "./shards.ts";
import { notSigned } from "./state.ts";
import { type Audit, contradiction, startAudit, type Word, wordIn } from "./vet.ts";
import { cosign, needsCosignature, type Witnesses } from "./witnesses.ts";

export interface PublishDeps {
  readonly caches: Caches;
  readonly db: Database;
  /** What the logs of this service have in common. */
  readonly base: string;
  readonly signer: LogSigner;
  readonly lastWords: LastWords;
  readonly witnesses: Witnesses;
  readonly asked: readonly WitnessSetting[];
  clock(): UnixMs;
  readonly log: Logger;
  /** Told of a log whose last word is lost, and why nobody can say it. */
  readonly onLost?: (shard: Shard, why: string) => void;
  /** Runs the making of a checkpoint, and looks on. */
  readonly watch?: <T>(run: () => Promise<T>) => Promise<T>;
}

/** What signing needs, and what this process knows of it. */
interface Publishing extends PublishDeps {
  readonly fence: Fence;
  readonly tree: TreeReader;
  readonly audit: Audit;
  /** What this process signed last of a log, or found when it began. */
  readonly last: Map<number, readonly Word[]>;
  /** Logs that this process has begun to sign. */
  readonly begun: Set<number>;
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
    audit: startAudit({ db, log, refuse: (shard, reason) => refuse(deps, shard, reason) }),
    last: new Map(),
    begun: new Set(),
  };
  const signed = (shard: Shard) => deps.watch?.(() => sign(publishing, shard)) ?? sign(publishing, shard);
  const publish = async (grown: Shard | null): Promise<void> => {
    if (grown !== null && publishing.last.has(grown.id)) {
      // Somebody who looked for himself may have been first.
      if (signedSize(publishing, grown) < grown.size) await signed(grown);
      return;
    }
    for (const shard of await begunLogs(deps)) if (isToSign(publishing, shard)) await signed(shard);
  };
  // One after the other: what is signed never shrinks.
  let turn: Promise<void> = Promise.resolve();
  return {
    /**
     * Signs every log that has entries which no checkpoint has.
     * @param grown the log that just grew, as it is now: no other is looked for then
     * @throws DatabaseUnavailable; LeaseLost
     */
    publish(grown: Shard | null = null) {
      const mine = turn.then(() => publish(grown));
      turn = mine.catch(() => {});
      return mine;
    },
    /** Asks the witnesses for their signatures, where there is a checkpoint without. */
    async askWitnesses() {
      if (deps.asked.length === 0) return;
      for (const shard of await listShards(db))
        if (shard.checkpoint !== null && needsCosignature(shard))
          await cosign(publishing, shard, shard.checkpoint);
    },
    stop: () => publishing.audit.stop(),
  };
}

/** Oldest first. The first log begins before its first entry, so that readers find a checkpoint of size 0. */
async function begunLogs({ db, base, clock }: PublishDeps): Promise<Shard[]> {
  const shards = await listShards(db);
  if (shards.length > 0) return shards;
  await beginShard(db, undefined, { base, nowMs: clock() });
  return await listShards(db);
}

/** Any process may record it, with or without the lease: a contradiction is one in all of them. */
async function refuse({ db, log }: PublishDeps, shard: Shard, reason: string): Promise<void> {
  log.error(
    { log: shard.origin, reason },
    "the decision log is no longer signed: see docs/run/runbooks/decision-log.md",
  );
  await db
    .updateTable("log_shards")
    .set({ refused: reason })
    .where("id", "=", shard.id)
    .where("refused", "is", null)
    .execute();
}

/** A log that was signed before is looked through and signed again when a process begins: somebody may have changed it. */
function isToSign({ begun, signer }: Publishing, shard: Shard): boolean {
  if (shard.refused !== null) return false;
  if (shard.size > shard.signed_size) return true;
  if (shard.checkpoint === null) return true;
  const isNew = !begun.has(shard.id);
  begun.add(shard.id);
  return isNew || !isSignedBy(signer, shard.origin, shard.checkpoint);
}

const signedSize = ({ last }: Publishing, { id }: Shard): number =>
  Math.max(0, ...(last.get(id) ?? []).map(({ size }) => size));

function isSignedBy(signer: LogSigner, origin: string, checkpoint: string): boolean {
  const { id, name } = signer.keyOf(origin);
  return parseNote(checkpoint).signatures.some((line) => line.name === name && line.keyId === id);
}

/** @throws Problem `unavailable` where the file cannot be read or written, or the key does not sign; LeaseLost */
async function sign(publishing: Publishing, shard: Shard): Promise<void> {
  const { db, signer, tree, last, audit } = publishing;
  const words = await wordsOf(publishing, shard).catch((error: Error) => error);
  // Requested together with the roots that it is compared with; its errors surface below.
  const rooting = rootAt(shard.size, tree.nodes(shard.id, shard.size), FAST_HASHER);
  rooting.catch(() => {});
  if (words instanceof Error && words.name !== "LogError") throw words;
  const fault =
    words instanceof Error
      ? `what it signed last cannot be read: ${words.message}`
      : ((await contradiction(shard, tree, words)) ?? (last.has(shard.id) ? null : await audit.begin(shard)));
  if (fault !== null) return await refuse(publishing, shard, fault);
  const root = await rooting;
  const checkpoint = { origin: shard.origin, size: shard.size, root };
  const note = await signer.sign(checkpoint);
  await filed(publishing.lastWords.write(shard.name, note));
  last.set(shard.id, [{ ...checkpoint, from: "that was signed before" }]);
  const { numUpdatedRows } = await db
    .updateTable("log_shards")
    .set({ checkpoint: note, signed_size: shard.size, signed_at: publishing.clock() })
    .where("id", "=", shard.id)
    .where("signed_size", "<=", shard.size)
    .where(whileHeld(publishing.fence))
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw new LeaseLost(publishing.fence);
  publishing.recent?.signed(shard.id, { size: shard.size, root, note });
}

/** What goes wrong with the file of last words is nobody's fault who waits for it. */
const filed = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw notSigned(stateFault(error), error);
  });

/** What was signed of a log, by everybody who could know. */
async function wordsOf(publishing: Publishing, shard: Shard): Promise<readonly Word[]> {
  const known = publishing.last.get(shard.id);
  const stored = shard.checkpoint === null ? [] : [wordIn(shard.checkpoint, "in the database")];
  if (known !== undefined) return withoutRepeats([...known, ...stored]);
  const kept = await filed(publishing.lastWords.read(shard.name));
  const seen = await Promise.all(publishing.asked.map((witness) => seenBy(publishing, witness, shard)));
  const why = kept === null ? lostWord(shard, publishing.asked, seen) : null;
  if (why !== null) {
    publishing.onLost?.(shard, why);
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
  shard: Shard,
): Promise<Word | null | undefined> {
  try {
    const checkpoint = await witnesses.lastOf(witness, shard.origin);
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
