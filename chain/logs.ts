/** Events of many blocks, page by page: nodes limit how many blocks one search may cover. */
import type { Filter, JsonRpcProvider, Log as ProviderLog } from "ethers";
import { z } from "zod";
import { type Rpc, RpcRefused } from "./jsonRpc.ts";
import { upstream } from "./rpc.ts";

/** Blocks asked about at once; what public nodes commonly allow. */
export const LOG_PAGE_BLOCKS = 5_000;

/** Logs of one page, whose last block is `upToBlock`. */
export interface LogPage<L = ProviderLog> {
  readonly logs: readonly L[];
  readonly upToBlock: number;
}

/** How long the pages are that a node is asked for, in blocks. */
interface PageLengths {
  readonly first: number;
  /** The longest once a node has refused one. */
  readonly refused: number;
  readonly smallest: number;
}

/**
 * Every block from the first to the last, both inclusive, once and in order. A page that is refused is asked for in shorter
 * ones: nodes draw their line at different lengths, and say so in as many ways.
 * @param isRefusal of what `search` throws; anything else ends the pages
 * @throws what `search` throws of the smallest page
 */
async function* pages<L>(
  search: (first: number, last: number) => Promise<readonly L[]>,
  [fromBlock, toBlock]: readonly [number, number],
  { first, refused, smallest }: PageLengths,
  isRefusal: (error: unknown) => boolean,
): AsyncGenerator<LogPage<L>> {
  let pageBlocks = Math.min(first, toBlock - fromBlock + 1);
  for (let block = fromBlock; block <= toBlock; ) {
    const last = Math.min(block + pageBlocks - 1, toBlock);
    let logs: readonly L[];
    try {
      logs = await search(block, last);
    } catch (error) {
      if (pageBlocks <= smallest || !isRefusal(error)) throw error;
      pageBlocks = Math.max(smallest, Math.min(refused, Math.ceil(pageBlocks / 4)));
      continue;
    }
    yield { logs, upToBlock: last };
    block = last + 1;
  }
}

/**
 * The pages of a range, for who reads all of them.
 * @param what for the error: `guard events`
 * @throws UpstreamUnavailable when the node gives no logs even for a single block
 */
export function logPages(
  provider: JsonRpcProvider,
  filter: Pick<Filter, "address" | "topics">,
  range: readonly [number, number],
  what: string,
): AsyncGenerator<LogPage> {
  const search = (fromBlock: number, toBlock: number) =>
    upstream(what, () => provider.getLogs({ ...filter, fromBlock, toBlock }));
  const lengths = { first: LOG_PAGE_BLOCKS, refused: LOG_PAGE_BLOCKS, smallest: 1 };
  return pages(search, range, lengths, () => true);
}

/** Lower-case hexadecimal of so many bytes, as nodes answer it. */
export const hexBytes = (bytes: number) => z.string().regex(new RegExp(`^0x[0-9a-f]{${bytes * 2}}$`));
export const Quantity = z.string().regex(/^0x[0-9a-f]{1,16}$/);
export const quantity = (value: number) => `0x${value.toString(16)}`;

export const Log = z.looseObject({
  address: z.string(),
  topics: z.array(hexBytes(32)),
  data: z.string().regex(/^0x([0-9a-f]{2})*$/),
  blockNumber: Quantity,
  transactionHash: hexBytes(32),
  removed: z.boolean().default(false),
});
export type Log = z.infer<typeof Log>;

/** A reader's node is asked for the whole range first. */
const READERS_PAGES = { first: Number.POSITIVE_INFINITY, refused: 2_000, smallest: 50 };
/** Of the longest pages of a node that refuses: a day of the fastest chain. */
const MOST_PAGES = 100;

export interface LogSearch {
  /** The guard, or its manager. */
  readonly address: string;
  /** Those that every log must begin with; of a list any. */
  readonly topics: readonly (string | readonly string[])[];
  /** First and last block, inclusive. */
  readonly from: number;
  readonly to: number;
}

export interface Found {
  /** In the order of the chain. */
  readonly logs: readonly Log[];
  /** The last block that was searched: less than asked for where that would have taken too many searches. */
  readonly searchedTo: number;
}

/**
 * Searches forward and stops with the first page that has any.
 * @throws RpcRefused where the node refuses even short ranges, RpcUnreachable
 */
export function findLogs(search: LogSearch, rpc: Rpc): Promise<Found> {
  return searched(search, rpc, (logs) => logs.length > 0);
}

/** All of a range. @throws RpcRefused also where that would take too many searches, RpcUnreachable */
export async function collectLogs(search: LogSearch, rpc: Rpc): Promise<readonly Log[]> {
  const { logs, searchedTo } = await searched(search, rpc, () => false);
  if (searchedTo < search.to)
    throw new RpcRefused("it gives events of few blocks at once, and these are too many");
  return logs;
}

async function searched(
  { from, to, ...filter }: LogSearch,
  rpc: Rpc,
  isEnough: (logs: readonly Log[]) => boolean,
): Promise<Found> {
  const found: Log[] = [];
  const search = (first: number, last: number) => logsIn({ ...filter, from: first, to: last }, rpc);
  // Too many blocks at once, for most nodes that refuse.
  const isRefusal = (error: unknown) => error instanceof RpcRefused;
  let searchedTo = Math.min(from - 1, to);
  let count = 0;
  for await (const { logs, upToBlock } of pages(search, [from, to], READERS_PAGES, isRefusal)) {
    found.push(...logs);
    searchedTo = upToBlock;
    count += 1;
    if (isEnough(found) || count === MOST_PAGES) break;
  }
  return { logs: found, searchedTo };
}

async function logsIn({ address: wanted, topics, from, to }: LogSearch, rpc: Rpc): Promise<Log[]> {
  const filter = { address: wanted, topics, fromBlock: quantity(from), toBlock: quantity(to) };
  const logs = z.array(Log).parse(await rpc("eth_getLogs", [filter]));
  // A node's answer is checked like any other: its filter is no proof.
  return logs.filter(
    ({ address, topics: own, blockNumber, removed }) =>
      !removed &&
      address.toLowerCase() === wanted.toLowerCase() &&
      topics.every((topic, index) => [topic].flat().includes(own[index] ?? "")) &&
      Number(blockNumber) >= from &&
      Number(blockNumber) <= to,
  );
}
