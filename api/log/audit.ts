/**
 * Rehashes a whole log in the background, once a day. The newest entries come before a process signs first, the others
 * after it, one tile at a time so that nobody waits.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../../database/open.ts";
import type { Logger } from "../metrics/logger.ts";
import { findShard, type Shard } from "./shards.ts";
import { tileFault, tilesOf } from "./vet.ts";

/** Looked at before anything is signed: the newest 16,384 entries, in some tens of milliseconds. */
const TILES_AT_ONCE = 64;
const PAUSE_MS = 5;
const DAY_MS = 86_400_000;

export type Audit = ReturnType<typeof startAudit>;

export function startAudit(deps: {
  readonly db: Database;
  readonly log: Logger;
  refuse(shard: Shard, reason: string): Promise<void>;
}) {
  const ending = new AbortController();
  const running: Promise<void>[] = [];

  async function follow(id: number): Promise<void> {
    for (;;) {
      const shard = await findShard(deps.db, id);
      for (let index = 0; shard !== undefined && index < tilesOf(shard.size); index++) {
        const fault = await tileFault(deps.db, shard, index);
        if (fault !== null) return await deps.refuse(shard, fault);
        await sleep(PAUSE_MS, undefined, { signal: ending.signal, ref: false });
      }
      await sleep(DAY_MS, undefined, { signal: ending.signal, ref: false });
    }
  }

  return {
    /**
     * Looks at the newest entries, and goes on with all others by itself.
     * @returns what does not fit; null when all does
     */
    async begin(shard: Shard) {
      const tiles = tilesOf(shard.size);
      for (let index = Math.max(0, tiles - TILES_AT_ONCE); index < tiles; index++) {
        const fault = await tileFault(deps.db, shard, index);
        if (fault !== null) return fault;
      }
      running.push(
        follow(shard.id).catch((error: unknown) => {
          if (!ending.signal.aborted) deps.log.warn({ err: error }, "the decision log could not be checked");
        }),
      );
      return null;
    },
    async stop() {
      ending.abort();
      await Promise.all(running);
    },
  };
}
