/** Events of a contract in a range of blocks, also from nodes that limit how many blocks one search may cover. */
import { z } from "zod";
import { type Rpc, RpcRefused } from "./jsonRpc.ts";

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

/** A node that limits one search is asked in spans of this many blocks. */
const SPAN = 2_000;
const SMALLEST_SPAN = 50;
/** A day of the fastest chain. */
const MOST_SPANS = 100;

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
 * Searches forward and stops with the first span that has any.
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
  search: LogSearch,
  rpc: Rpc,
  isEnough: (logs: readonly Log[]) => boolean,
): Promise<Found> {
  const { from, to } = search;
  if (from > to) return { logs: [], searchedTo: to };
  try {
    return { logs: await logsIn(search, rpc), searchedTo: to };
  } catch (error) {
    // Too many blocks at once, for most nodes that refuse.
    if (!(error instanceof RpcRefused) || to - from < SMALLEST_SPAN) throw error;
  }
  const found: Log[] = [];
  let span = SPAN;
  let at = from;
  for (let searches = 0; at <= to && searches < MOST_SPANS; searches++) {
    const end = Math.min(to, at + span - 1);
    try {
      found.push(...(await logsIn({ ...search, from: at, to: end }, rpc)));
      if (isEnough(found)) return { logs: found, searchedTo: end };
      at = end + 1;
    } catch (error) {
      if (!(error instanceof RpcRefused) || span <= SMALLEST_SPAN) throw error;
      span = Math.max(SMALLEST_SPAN, span >> 2);
    }
  }
  return { logs: found, searchedTo: at - 1 };
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
