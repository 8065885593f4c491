/** Events of many blocks, page by page. */
import type { Filter, JsonRpcProvider, Log } from "ethers";
import { upstream } from "../rpc.ts";

/** Blocks asked about at once; what public nodes commonly allow. */
export const LOG_PAGE_BLOCKS = 5_000;

/** Logs of one page, whose last block is `upToBlock`. */
export interface LogPage {
  readonly logs: readonly Log[];
  readonly upToBlock: number;
}

/**
 * Every block from the first to the last, both inclusive, once and in order.
 * @param what for the error: `guard events`
 * @throws UpstreamUnavailable when the node gives no logs even for a single block
 */
export async function* logPages(
  provider: JsonRpcProvider,
  filter: Pick<Filter, "address" | "topics">,
  [fromBlock, toBlock]: readonly [number, number],
  what: string,
): AsyncGenerator<LogPage> {
  let pageBlocks = LOG_PAGE_BLOCKS;
  for (let block = fromBlock; block <= toBlock; ) {
    const first = block;
    const last = Math.min(block + pageBlocks - 1, toBlock);
    let logs: Log[];
    try {
      logs = await upstream(what, () => provider.getLogs({ ...filter, fromBlock: first, toBlock: last }));
    } catch (error) {
      // Nodes draw their line at different lengths, and say so in as many ways.
      if (pageBlocks === 1) throw error;
      pageBlocks = Math.ceil(pageBlocks / 4);
      continue;
    }
    yield { logs, upToBlock: last };
    block = last + 1;
  }
}
