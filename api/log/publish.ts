/**
 * Signs what was placed, by the one process that holds the lease. A checkpoint is written to the file of last words
 * before anybody can see it: whatever dies in between, the log remembers what it may have said.
 */
import { sameBytes } from "../../attestor/bytes.ts";
import { noteText, parseNote } from "../../attestor/log/note.ts";
import { rootAt } from "../../attestor/log/proving.ts";
import type { Database } from "../../database/open.ts";
import { acquireLease, releaseLease } from "../../market/collect/lease.ts";
import type { Logger } from "../metrics/logger.ts";
import type { WitnessSetting } from "../settings/log.ts";
import { startAudit } from "./audit.ts";
import type { LastWords } from "./files.ts";
import { FAST_HASHER } from "./hasher.ts";
import type { LogSigner } from "./key.ts";
import { createTreeReader } from "./nodes.ts";
import type { Recent } from "./recent.ts";
import { findShard, listShards, type Shard } from "./shards.ts";
import { contradiction, type Word, wordIn } from "./vet.ts";
import type { Witnesses } from "./witnesses.ts";

const LEASE = { name: "log-publisher", ttlMs: 3_000 };
/** Left of the lease when it is renewed: more than a checkpoint takes. */
const RENEW_MS = 1_500;

export interface PublishDeps {
  readonly db: Database;
  readonly signer: LogSigner;
  readonly lastWords: LastWords;
  readonly witnesses: Witnesses;
  readonly asked: readonly WitnessSetting[];
  /** Tells this process from the others. */
  readonly holder: string;
  /** Unix milliseconds. */
  clock(): number;
  readonly log: Logger;
}

export interface Publisher {
  /**
   * Signs every log that has entries which no checkpoint has, where this process may.
   * @param grown the log that just grew, as it is now: while this process is the one that signs, no other is looked for
   * @throws DatabaseUnavailable
   */
  publish(grown?: Shard | null): Promise<void>;
  /** Asks the witnesses for their signatures, where there is a checkpoint without. */
  askWitnesses(): Promise<void>;
  stop(): Promise<void>;
}

/** @param recent told what was signed, once everybody can see it */
export function createPublisher(deps: PublishDeps, recent?: Pick<Recent, "signed">): Publisher {
  const { db, signer, lastWords, log } = deps;
  const tree = createTreeReader(db);
  /** What this process signed last, or found when it began. */
  const last = new Map<number, readonly Word[]>();
  const begun = new Set<number>();
  let leasedUntil = 0;

  const isLeased = (): boolean => leasedUntil - deps.clock() > RENEW_MS;

  async function hasLease(): Promise<boolean> {
    if (isLeased()) return true;
    const now = deps.clock();
    const got = await acquireLease({ db, ...LEASE, holder: deps.holder, now: deps.clock });
    leasedUntil = got ? now + LEASE.ttlMs : 0;
    return got;
  }

  const audit = startAudit({
    db,
    log,
    refuse: (shard, reason) => refuse(shard, reason),
  });

  async function refuse(shard: Shard, reason: string): Promise<void> {
    log.error(
      { log: shard.origin, reason },
      "the decision log is not signed any more: see the runbook in docs/log.md",
    );
    await db
      .updateTable("log_shards")
      .set({ refused: reason })
      .where("id", "=", shard.id)
      .where("refused", "is", null)
      .execute();
  }

  /** What was signed of a log, by everybody who could know. */
  async function wordsOf(shard: Shard): Promise<readonly Word[]> {
    const known = last.get(shard.id);
    const stored = shard.checkpoint === null ? [] : [wordIn(shard.checkpoint, "in the database")];
    if (known !== undefined) return withoutRepeats([...known, ...stored]);
    const kept = await lastWords.read(shard.name);
    const seen = await Promise.all(deps.asked.map((witness) => seenBy(witness, shard)));
    return [...stored, ...(kept === null ? [] : [wordIn(kept, "in the file")]), ...seen.flat()];
  }

  async function seenBy(witness: WitnessSetting, shard: Shard): Promise<Word[]> {
    try {
      const checkpoint = await deps.witnesses.lastOf(witness, shard.origin);
      return checkpoint === null ? [] : [{ ...checkpoint, from: `that ${witness.key.name} has seen` }];
    } catch (error) {
      log.warn(
        { witness: witness.key.name, fault: (error as Error).message },
        "a witness could not be asked",
      );
      return [];
    }
  }

  /** @throws whatever keeps the file from being written */
  async function sign(shard: Shard): Promise<void> {
    const words = await wordsOf(shard).catch((error: Error) => error);
    // Asked for together with the roots that it is held against; what goes wrong with it shows below.
    const rooting = rootAt(shard.size, tree.nodes(shard.id, shard.size), FAST_HASHER);
    rooting.catch(() => {});
    if (words instanceof Error && words.name !== "LogError") throw words;
    const fault =
      words instanceof Error
        ? `what it signed last cannot be read: ${words.message}`
        : ((await contradiction(shard, tree, words)) ??
          (last.has(shard.id) ? null : await audit.begin(shard)));
    if (fault !== null) return await refuse(shard, fault);
    const root = await rooting;
    const checkpoint = { origin: shard.origin, size: shard.size, root };
    const note = signer.sign(checkpoint);
    await lastWords.write(shard.name, note);
    last.set(shard.id, [{ ...checkpoint, from: "that was signed before" }]);
    await db
      .updateTable("log_shards")
      .set({ checkpoint: note, signed_size: shard.size, signed_at: deps.clock() })
      .where("id", "=", shard.id)
      .where("signed_size", "<=", shard.size)
      .execute();
    recent?.signed(shard.id, { size: shard.size, root, note });
  }

  const isByThisKey = ({ checkpoint, origin }: Shard): boolean => {
    const { id, name } = signer.keyOf(origin);
    return (
      checkpoint !== null &&
      parseNote(checkpoint).signatures.some((line) => line.name === name && line.keyId === id)
    );
  };

  /** A log that was signed before is looked through and signed again when a process begins: somebody may have changed it. */
  const isToSign = (shard: Shard): boolean => {
    if (shard.refused !== null) return false;
    if (shard.size > shard.signed_size) return true;
    if (shard.checkpoint === null) return false;
    const isNew = !begun.has(shard.id);
    begun.add(shard.id);
    return isNew || !isByThisKey(shard);
  };

  async function cosign(shard: Shard, note: string): Promise<void> {
    const nodes = tree.nodes(shard.id, shard.signed_size);
    const signatures = await Promise.all(
      deps.asked.map((witness) =>
        deps.witnesses.cosign(witness, note, nodes).catch((error: Error) => {
          log.warn({ witness: witness.key.name, fault: error.message }, "a witness did not cosign");
          return null;
        }),
      ),
    );
    const cosignatures = signatures.filter((line) => line !== null);
    if (cosignatures.length === 0) return;
    const signed = parseNote(note);
    const cosigned = noteText({ ...signed, signatures: [...signed.signatures, ...cosignatures] });
    await db
      .updateTable("log_shards")
      .set({ cosigned, cosigned_size: shard.signed_size })
      .where("id", "=", shard.id)
      .where("cosigned_size", "<=", shard.signed_size)
      .execute();
  }

  return {
    async publish(grown = null) {
      if (grown !== null && last.has(grown.id) && isLeased()) return await sign(grown);
      for (const shard of await listShards(db))
        if (isToSign(shard) && (await hasLease())) await sign((await findShard(db, shard.id)) ?? shard);
    },
    async askWitnesses() {
      if (deps.asked.length === 0) return;
      for (const shard of await listShards(db))
        if (shard.checkpoint !== null && needsCosignature(shard) && (await hasLease()))
          await cosign(shard, shard.checkpoint);
    },
    async stop() {
      await audit.stop();
      if (leasedUntil > 0) await releaseLease({ db, ...LEASE, holder: deps.holder, now: deps.clock });
    },
  };
}

/** The same word twice costs as much as two words. */
function withoutRepeats(words: readonly Word[]): Word[] {
  const isSame = (a: Word, b: Word) =>
    a.origin === b.origin && a.size === b.size && sameBytes(a.root, b.root);
  return words.filter((word, n) => !words.slice(0, n).some((earlier) => isSame(earlier, word)));
}

/** A cosigned checkpoint of the same size may be an older key's, or lack its log's newest signature. */
function needsCosignature({ checkpoint, cosigned, cosigned_size, signed_size }: Shard): boolean {
  if (checkpoint === null) return false;
  if (cosigned === null || cosigned_size < signed_size) return true;
  return !cosigned.startsWith(checkpoint.slice(0, checkpoint.length - 1));
}
