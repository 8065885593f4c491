/** Blocks and events, asked of a node within what nodes allow. */
import { id, type JsonRpcProvider, type Log } from "ethers";
import { UpstreamUnavailable } from "../../chain/chainErrors.ts";
import { upstream } from "../../chain/rpc.ts";

/** ERC-20. */
export const TRANSFER = id("Transfer(address,address,uint256)");

/** Nodes limit how many blocks one question about events may span. */
const BLOCKS_A_QUESTION = 2_000;
/** The block at which a nonce was seen unused may itself be reorganised away. */
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

/**
 * Events since a nonce was seen unused, oldest first; what one question answers comes from one node.
 * @throws UpstreamUnavailable
 */
export async function* eventsSince(
  node: JsonRpcProvider,
  unusedAtBlock: number,
  head: number,
  filter: { address: string | string[]; topics: (string | string[] | null)[] },
): AsyncGenerator<Log> {
  for (let from = Math.max(0, unusedAtBlock - REORG_MARGIN); from <= head; from += BLOCKS_A_QUESTION) {
    const toBlock = Math.min(head, from + BLOCKS_A_QUESTION - 1);
    yield* await upstream("events", () => node.getLogs({ ...filter, fromBlock: from, toBlock }));
  }
}

export const sameAddress = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
