/** Blocks and events, asked of a node within what nodes allow. */
import { id, type JsonRpcProvider, type Log } from "ethers";
import { UpstreamUnavailable } from "../../chain/chainErrors.ts";
import { upstream } from "../../chain/rpc.ts";

/** ERC-20. */
export const TRANSFER = id("Transfer(address,address,uint256)");

/** Nodes limit how many blocks one question about events may span. */
const BLOCKS_A_QUESTION = 2_000;
/** The block at which a nonce was seen unused may itself be reorganized away. */
const REORG_MARGIN = 64;

/** @throws UpstreamUnavailable */
export async function blockOf(
  node: JsonRpcProvider,
  tag: number | "latest",
): Promise<{ number: number; timestamp: number }> {
  const block = await upstream("block", () => node.getBlock(tag));
  if (block === null) throw new UpstreamUnavailable("The chain's RPC does not know its own block.");
  return block;
}

/** A range of blocks in pieces for one question each. */
export function* rangesOf(first: number, last: number): Generator<{ fromBlock: number; toBlock: number }> {
  for (let fromBlock = first; fromBlock <= last; fromBlock += BLOCKS_A_QUESTION)
    yield { fromBlock, toBlock: Math.min(last, fromBlock + BLOCKS_A_QUESTION - 1) };
}

export interface EventFilter {
  readonly address: string | string[];
  readonly topics: (string | string[] | null)[];
}

/**
 * Events of a range of blocks, oldest first; what one question answers comes from one node.
 * @throws UpstreamUnavailable
 */
export async function* eventsBetween(
  node: JsonRpcProvider,
  first: number,
  last: number,
  filter: EventFilter,
): AsyncGenerator<Log> {
  for (const range of rangesOf(first, last))
    yield* await upstream("events", () => node.getLogs({ ...filter, ...range }));
}

/** Events since a nonce was seen unused. @throws UpstreamUnavailable */
export const eventsSince = (
  node: JsonRpcProvider,
  unusedAtBlock: number,
  head: number,
  filter: EventFilter,
) => eventsBetween(node, Math.max(0, unusedAtBlock - REORG_MARGIN), head, filter);

export const sameAddress = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
