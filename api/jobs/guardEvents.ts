/**
 * Follows the guard's own events in ranges of blocks. They name the transactions that the watcher looks at first, and make
 * the evidence of trades in final blocks public, whether or not anybody submitted their transactions.
 */
import { jobIdHash } from "../../attestor/certificate/certificate.ts";
import type { Chain } from "../../chain/chain.ts";
import { UpstreamUnavailable } from "../../chain/chainErrors.ts";
import type { Deployment } from "../../chain/deployment.ts";
import type { ExecutedTrade } from "../../chain/guard/trades.ts";
import type { Database } from "../../database/open.ts";

type Guard = Pick<Deployment, "chainId" | "guard">;

/** Nodes draw their line at different lengths: this one is taken by most, and shortened for others. */
const PAGE_BLOCKS = 1_000;
/** In which a node that gives no events, even of a single block, is not asked. */
const SILENT_ROUNDS = 10;

export interface EventDeps {
  readonly db: Database;
  readonly chain: Pick<Chain, "deployment" | "tradesBetween">;
  /** Depth in blocks after which a block counts as final, itself included. */
  readonly finalityBlocks: number;
  readonly log: { warn(details: object, message: string): void };
}

/**
 * @returns reads the next blocks by one search. Those after the last final one are read again each time, since they may be
 *   reorganized away. It gives the transactions that it found; of a node that gives no events none
 * @throws DatabaseUnavailable, from each call
 */
export function createEventReader({ db, chain, finalityBlocks, log }: EventDeps) {
  const { deployment } = chain;
  const names = cursorsOf(deployment);
  let pageBlocks = PAGE_BLOCKS;
  let silentRounds = 0;

  return async (head: number): Promise<string[]> => {
    if (silentRounds > 0) {
      silentRounds--;
      return [];
    }
    const final = head - finalityBlocks + 1;
    const read = await readCursor(db, names.read);
    const from = read === null ? deployment.deployedAtBlock : read + 1;
    const to = Math.min(head, from + pageBlocks - 1);
    if (to < from) return [];
    const isRead = { [names.seen]: final, ...(final >= from && { [names.read]: Math.min(to, final) }) };
    try {
      const trades = await chain.tradesBetween(from, to);
      await publishEvidence(
        db,
        trades.filter(({ blockNumber }) => blockNumber <= final),
      );
      await writeCursors(db, isRead);
      pageBlocks = Math.min(PAGE_BLOCKS, 2 * pageBlocks);
      return [...new Set(trades.map(({ transactionHash }) => transactionHash))];
    } catch (error) {
      if (!(error instanceof UpstreamUnavailable)) throw error;
      await writeCursors(db, { [names.seen]: final });
      if (to > from) {
        pageBlocks = Math.ceil((to - from + 1) / 4);
        return [];
      }
      log.warn({ err: error }, "the chain's RPC returns no events; each submission is looked up on its own");
      // With whole pages again: it may have been the node's mood.
      pageBlocks = PAGE_BLOCKS;
      silentRounds = SILENT_ROUNDS;
      return [];
    }
  };
}

/**
 * Makes the evidence of these trades public, as far as it is this service's. What was never signed stays private: the
 * guard cannot have carried it out.
 * @param trades by the guard's own events, in blocks that are final
 */
export async function publishEvidence(
  db: Database,
  trades: readonly Pick<ExecutedTrade, "jobId" | "evidenceHash">[],
): Promise<void> {
  if (trades.length === 0) return;
  const jobs = new Map(trades.map(({ evidenceHash, jobId }) => [evidenceHash, jobId]));
  const rows = await db
    .selectFrom("reports")
    .select(["job_id", "version", "evidence_hash"])
    .where("evidence_hash", "in", [...jobs.keys()])
    .where("execution", "is not", null)
    .execute();
  const executed = rows.filter(({ job_id, evidence_hash }) => jobs.get(evidence_hash) === jobIdHash(job_id));
  if (executed.length === 0) return;
  await db
    .insertInto("public_evidence")
    .values(executed)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Names of the cursors: the last final block whose events were read, and the last one that was seen. */
const cursorsOf = ({ chainId, guard }: Guard) => ({
  read: `final/${chainId}/${guard}`,
  seen: `seen/${chainId}/${guard}`,
});

/**
 * How many final blocks nobody has read yet; null: nobody has begun.
 * @throws DatabaseUnavailable
 */
export async function unreadBlocks(db: Database, guard: Guard): Promise<number | null> {
  const names = cursorsOf(guard);
  const [seen, read] = await Promise.all([readCursor(db, names.seen), readCursor(db, names.read)]);
  if (seen === null && read === null) return null;
  return Math.max(0, (seen ?? 0) - (read ?? 0));
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

/** @param blocks by the name of what is read */
export async function writeCursors(db: Database, blocks: Readonly<Record<string, number>>): Promise<void> {
  await db
    .insertInto("chain_cursors")
    .values(Object.entries(blocks).map(([name, block]) => ({ name, block })))
    .onConflict((conflict) =>
      conflict.column("name").doUpdateSet(({ ref }) => ({ block: ref("excluded.block") })),
    )
    .execute();
}
