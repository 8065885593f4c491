/** Reference prices that stand on the chain: Pyth's contract and aggregators of Chainlink's shape. */
import { Interface } from "ethers";
import type { OnChainFeed, ReferencePrice } from "../../attestor/evidence/facts.ts";
import type { Caller } from "../blockReads.ts";
import type { ReferenceFeed } from "../deployment.ts";
import { orNull, upstream } from "../rpc.ts";
import { hashOnly, type KeepRaw } from "./rawAnswers.ts";

const pyth = new Interface([
  "function getPriceUnsafe(bytes32 id) view returns ((int64 price, uint64 conf, int32 expo, uint256 publishTime) price)",
]);
const aggregator = new Interface([
  "function decimals() view returns (uint8)",
  "function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)",
]);

interface Reading {
  readonly price: string;
  readonly confidence: string | null;
  readonly publishedAt: number;
  readonly rawHash: string;
  readonly onChain: OnChainFeed;
}

/**
 * All readings of these feeds at one block. A feed that reverts, is not there, or states a price that is
 * not positive has no reading: the checks count what is missing.
 * @param receivedAt unix seconds
 * @throws UpstreamUnavailable when the node does not answer
 */
export async function readReferences(
  provider: Caller,
  feeds: readonly ReferenceFeed[],
  source: string,
  at: { blockNumber: number; receivedAt: number; keep?: KeepRaw },
): Promise<ReferencePrice[]> {
  const readings = await Promise.all(
    feeds.map(async (feed): Promise<ReferencePrice[]> => {
      const reading = await upstream("reference price", () =>
        orNull(() => read(provider, feed, at.blockNumber, at.keep ?? hashOnly)),
      );
      if (reading === null) return [];
      const { provider: name, kind, symbol } = feed;
      return [{ provider: name, source, kind, symbol, ...reading, receivedAt: at.receivedAt, proof: null }];
    }),
  );
  return readings.flat();
}

function read(
  provider: Caller,
  feed: ReferenceFeed,
  blockNumber: number,
  keep: KeepRaw,
): Promise<Reading | null> {
  return feed.provider === "pyth"
    ? readPyth(provider, feed.address, feed.feedId, blockNumber, keep)
    : readAggregator(provider, feed.address, blockNumber, keep);
}

async function readPyth(
  provider: Caller,
  address: string,
  feedId: string,
  blockTag: number,
  keep: KeepRaw,
): Promise<Reading | null> {
  const raw = await provider.call({
    to: address,
    data: pyth.encodeFunctionData("getPriceUnsafe", [feedId]),
    blockTag,
  });
  const [[price, conf, expo, publishTime]] = pyth.decodeFunctionResult("getPriceUnsafe", raw);
  if (price <= 0n) return null;
  return {
    price: decimal(price, -Number(expo)),
    confidence: decimal(conf, -Number(expo)),
    publishedAt: Number(publishTime),
    rawHash: keep(raw),
    onChain: { address, feedId, roundId: null },
  };
}

async function readAggregator(
  provider: Caller,
  address: string,
  blockTag: number,
  keep: KeepRaw,
): Promise<Reading | null> {
  const [rawDecimals, raw] = await Promise.all([
    provider.call({ to: address, data: aggregator.encodeFunctionData("decimals"), blockTag }),
    provider.call({ to: address, data: aggregator.encodeFunctionData("latestRoundData"), blockTag }),
  ]);
  const [decimals] = aggregator.decodeFunctionResult("decimals", rawDecimals);
  const [roundId, answer, , updatedAt] = aggregator.decodeFunctionResult("latestRoundData", raw);
  if (answer <= 0n) return null;
  return {
    price: decimal(answer, Number(decimals)),
    confidence: null,
    publishedAt: Number(updatedAt),
    rawHash: keep(raw),
    onChain: { address, feedId: null, roundId: roundId.toString() },
  };
}

/** An integer of so many decimal places as a plain decimal string. */
export function decimal(value: bigint, places: number): string {
  if (places <= 0) return (value * 10n ** BigInt(-places)).toString();
  const digits = value.toString().padStart(places + 1, "0");
  const fraction = digits.slice(-places).replace(/0+$/, "");
  return digits.slice(0, -places) + (fraction && `.${fraction}`);
}
