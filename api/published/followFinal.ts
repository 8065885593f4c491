/**
 * Follows the guard's events through final blocks. It publishes the evidence of each trade, whether or not anybody told
 * this service of the transaction. A node that gives no events is asked again; until then the watcher alone publishes what
 * was submitted.
 */
import type { Chain } from "../../chain/chain.ts";
import { UpstreamUnavailable } from "../../chain/chainErrors.ts";
import type { Database } from "../../database/open.ts";
import { readCursor, writeCursor } from "../jobs/followTrades.ts";
import { publishEvidence } from "../jobs/publishEvidence.ts";
import { type Repeated, repeat } from "../repeat.ts";
import { keepDefinitions } from "./definitions.ts";
import { followCursors } from "./followProgress.ts";

export interface FollowFinalDeps {
  readonly db: Database;
  readonly chain: Pick<Chain, "deployment" | "head" | "tradesBetween">;
  /** Depth in blocks after which a block counts as final, itself included. */
  readonly finalityBlocks: number;
  readonly pollMs: number;
  readonly log: { warn(details: object, message: string): void };
}

const PAGE_BLOCKS = 1_000;
const PAGES_A_ROUND = 10;

/** Starts at once, from the guard's first block where nobody followed before. */
export function startFollowingFinal(deps: FollowFinalDeps): Repeated {
  const { log, pollMs } = deps;
  const page = { blocks: PAGE_BLOCKS };
  let isWarned = false;
  // Stored at the start, unless the database took no writes then.
  let isKept = false;
  return repeat(async () => {
    try {
      if (!isKept) await keepDefinitions(deps.db, deps.chain.deployment.registry);
      isKept = true;
      await followRound(deps, page);
      isWarned = false;
    } catch (error) {
      // Once for as long as it lasts: some nodes never give events.
      if (!isWarned) log.warn({ err: error }, "final trades could not be read; will try again");
      isWarned = true;
      page.blocks = PAGE_BLOCKS;
    }
  }, pollMs);
}

async function followRound(deps: FollowFinalDeps, page: { blocks: number }): Promise<void> {
  const { db, chain, finalityBlocks } = deps;
  const { deployedAtBlock } = chain.deployment;
  const { read: name, seen } = followCursors(chain.deployment);
  const final = (await chain.head()) - finalityBlocks + 1;
  await writeCursor(db, seen, final);
  const last = await readCursor(db, name);
  let from = last === null ? deployedAtBlock : last + 1;
  for (let read = 0; read < PAGES_A_ROUND && from <= final; ) {
    const to = Math.min(final, from + page.blocks - 1);
    try {
      await publishEvidence(db, await chain.tradesBetween(from, to));
    } catch (error) {
      if (!(error instanceof UpstreamUnavailable) || page.blocks === 1) throw error;
      page.blocks = Math.ceil(page.blocks / 4);
      continue;
    }
    await writeCursor(db, name, to);
    from = to + 1;
    read++;
  }
}
