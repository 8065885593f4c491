/** What a feed on the local chain says. */
import type { ChainPriceSource } from "../../attestor/sources.ts";
import type { LocalNode } from "../../devnet/chain/node.ts";
import { PYTH, readAggregator } from "../../devnet/references.ts";
import { view } from "../../devnet/sender.ts";

export interface FeedState {
  /** US dollars per share. */
  readonly price: number;
  /** Unix seconds. */
  readonly at: number;
  /** How many prices the feed has had; Pyth's mock does not count. */
  readonly rounds: number | null;
}

/** @throws Error before its first price */
export async function readFeed(node: Pick<LocalNode, "request">, feed: ChainPriceSource): Promise<FeedState> {
  if (feed.provider === "chainlink") return readAggregator(node, feed.address);
  const [{ price, expo, publishTime }] = await view(node, feed.address, PYTH.abi, "getPriceUnsafe", [
    feed.feedId,
  ]);
  return { price: Number(price) * 10 ** Number(expo), at: Number(publishTime), rounds: null };
}
