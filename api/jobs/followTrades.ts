/**
 * Follows the guard's own events in ranges of blocks and puts the submissions of their transactions first, so that what
 * a confirmation costs does not grow with what was submitted. Nodes that give no events are asked again now and then;
 * the watcher's looks do without.
 */
import type { UnixMs } from "../../attestor/values/time.ts";
import type { Chain } from "../../chain/chain.ts";
import { UpstreamUnavailable } from "../../chain/chainErrors.ts";
import type { Database } from "../../database/open.ts";
import { recordTrades } from "./executions.ts";

export interface FollowDeps {
  readonly db: Database;
  readonly chain: Pick<Chain, "deployment" | "head" | "tradesBetween">;
  readonly clock: () => UnixMs;
  /** Blocks that may still be reorganized away are read again. */
  readonly finalityBlocks: number;
  readonly log: { warn(details: object, message: string): void };
}

/** Nodes draw their line at different lengths: this one is taken by most, and shortened for others. */
const PAGE_BLOCKS = 1_000;
const PAGES_A_ROUND = 6;
/** What is older is left to the looks. */
const FARTHEST_BLOCKS = 5_000;
const ASK_AGAIN_MS = 15_000;

/**
 * @returns what reads on from where it stopped, in this process or in another on the same database
 * @throws from each round: UpstreamUnavailable when the node is away, DatabaseUnavailable
 */
export function createTradeFollower({
  db,
  chain,
  clock,
  finalityBlocks,
  log,
}: FollowDeps): () => Promise<void> {
  const { chainId, guard, deployedAtBlock } = chain.deployment;
  const name = `trades/${chainId}/${guard}`;
  let pageBlocks = PAGE_BLOCKS;
  let silentUntil = 0;

  /** @returns null where the node gives no events of a single block */
  async function read(from: number, head: number): Promise<{ hashes: string[]; to: number } | null> {
    for (;;) {
      const to = Math.min(head, from + pageBlocks - 1);
      try {
        const trades = await chain.tradesBetween(from, to);
        return { hashes: [...new Set(trades.map(({ transactionHash }) => transactionHash))], to };
      } catch (error) {
        if (!(error instanceof UpstreamUnavailable)) throw error;
        if (pageBlocks === 1) {
          log.warn(
            { err: error },
            "the chain's RPC returns no events; each submission is looked up on its own",
          );
          return null;
        }
        pageBlocks = Math.ceil(pageBlocks / 4);
      }
    }
  }

  return async () => {
    if (clock() < silentUntil) return;
    const head = await chain.head();
    const cursor = await readCursor(db, name);
    const farthest = Math.max(deployedAtBlock, head - FARTHEST_BLOCKS, 0);
    // Without a cursor nobody followed before: what was submitted lately may have been traded lately.
    let from = cursor === null ? farthest : Math.max(farthest, Math.min(cursor, head) + 1 - finalityBlocks);
    for (let page = 0; page < PAGES_A_ROUND && from <= head; page++) {
      const events = await read(from, head);
      if (events === null) {
        // Once more with whole pages: it may have been the node's mood.
        pageBlocks = PAGE_BLOCKS;
        silentUntil = clock() + ASK_AGAIN_MS;
        return;
      }
      await recordTrades(db, events.hashes, clock());
      await writeCursor(db, name, events.to);
      from = events.to + 1;
    }
  };
}

/** The last block that was read under a name; null: nobody read. */
export async function readCursor(db: Database, name: string): Promise<number | null> {
  const row = await db
    .selectFrom("chain_cursors")
    .select("block")
    .where("name", "=", name)
    .executeTakeFirst();
  return row === undefined ? null : Number(row.block);
}

export async function writeCursor(db: Database, name: string, block: number): Promise<void> {
  await db
    .insertInto("chain_cursors")
    .values({ name, block })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ block }))
    .execute();
}
