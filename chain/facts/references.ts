/** Reference prices on the chain: Pyth's contract and aggregators of Chainlink's shape. */
import { Interface, keccak256 } from "ethers";
import type { OnChainFeed } from "../../attestor/evidence/facts.ts";
import type { ChainPriceSource } from "../../attestor/sources.ts";
import { wholeUnits } from "../../attestor/values/wholeUnits.ts";
import type { Caller } from "../blockReads.ts";
import { orNull, upstream } from "../rpc.ts";
import { type Lack, type Prices, pricesOf } from "./offchain.ts";

const pyth = new Interface([
  "function getPriceUnsafe(bytes32 id) view returns ((int64 price, uint64 conf, int32 expo, uint256 publishTime) price)",
]);
const aggregator = new Interface([
  "function decimals() view returns (uint8)",
  "function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)",
]);

type Listed = Extract<ChainPriceSource, { provider: "chainlink" }>;
/** Reading a feed of the evidence again uses the feed's own decimals. */
type Aggregator = Omit<Listed, "decimals"> & Partial<Pick<Listed, "decimals">>;
export type ReadableFeed = Exclude<ChainPriceSource, Listed> | Aggregator;

interface Reading {
  readonly price: string;
  readonly confidence: string | null;
  readonly publishedAt: number;
  readonly rawHash: string;
  readonly onChain: OnChainFeed;
}

/**
 * What these feeds say at one block. A feed that reverts, is not there, counts in other decimals than it is listed with, or
 * states a price that is not positive has no reading.
 * @param receivedAt unix seconds
 * @throws UpstreamUnavailable when the node does not answer
 */
export async function readPrices(
  provider: Caller,
  feeds: readonly ReadableFeed[],
  source: string,
  { blockNumber, receivedAt }: { blockNumber: number; receivedAt: number },
): Promise<Prices> {
  const answers = feeds.map(async (feed) => {
    const reading = await upstream("reference price", () => orNull(() => read(provider, feed, blockNumber)));
    const answer = reading ?? NO_ANSWER;
    const { provider: name, kind, symbol } = feed;
    return {
      source: feed as ChainPriceSource,
      answer:
        "reason" in answer
          ? answer
          : { provider: name, source, kind, symbol, ...answer, receivedAt, proof: null, signer: null },
    };
  });
  return pricesOf(await Promise.all(answers), receivedAt);
}

const NO_ANSWER: Lack = { reason: "no-answer", rawHash: null };

function read(provider: Caller, feed: ReadableFeed, blockNumber: number): Promise<Reading | Lack> {
  return feed.provider === "pyth"
    ? readPyth(provider, feed.address, feed.feedId, blockNumber)
    : readAggregator(provider, feed, blockNumber);
}

async function readPyth(
  provider: Caller,
  address: string,
  feedId: string,
  blockTag: number,
): Promise<Reading | Lack> {
  const raw = await provider.call({
    to: address,
    data: pyth.encodeFunctionData("getPriceUnsafe", [feedId]),
    blockTag,
  });
  const [[price, conf, expo, publishTime]] = pyth.decodeFunctionResult("getPriceUnsafe", raw);
  const rawHash = keccak256(raw);
  if (price <= 0n) return { reason: "no-answer", rawHash };
  return {
    price: decimal(price, -Number(expo)),
    confidence: decimal(conf, -Number(expo)),
    publishedAt: Number(publishTime),
    rawHash,
    onChain: { address, feedId, roundId: null },
  };
}

async function readAggregator(
  provider: Caller,
  { address, decimals: listed }: Aggregator,
  blockTag: number,
): Promise<Reading | Lack> {
  const [rawDecimals, raw] = await Promise.all([
    provider.call({ to: address, data: aggregator.encodeFunctionData("decimals"), blockTag }),
    provider.call({ to: address, data: aggregator.encodeFunctionData("latestRoundData"), blockTag }),
  ]);
  const [decimals] = aggregator.decodeFunctionResult("decimals", rawDecimals);
  const [roundId, answer, , updatedAt] = aggregator.decodeFunctionResult("latestRoundData", raw);
  const rawHash = keccak256(raw);
  if (answer <= 0n) return { reason: "no-answer", rawHash };
  if (listed !== undefined && Number(decimals) !== listed) return { reason: "unusable", rawHash };
  return {
    price: decimal(answer, Number(decimals)),
    confidence: null,
    publishedAt: Number(updatedAt),
    rawHash,
    onChain: { address, feedId: null, roundId: roundId.toString() },
  };
}

/** An integer of so many decimal places as a plain decimal string. */
export const decimal = (value: bigint, places: number): string =>
  places < 0 ? (value * 10n ** BigInt(-places)).toString() : wholeUnits(value, places);
