/** The reference prices on the chain: Pyth's published mock and Chainlink-shaped feeds, written by the publisher. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { AbiCoder, Interface, type InterfaceAbi, id } from "ethers";
import { creation, LOCAL_AGGREGATOR, type Published } from "./artifacts.ts";
import type { LocalNode } from "./chain/node.ts";
import { type Call, call, type Sender, view } from "./sender.ts";

const load = createRequire(import.meta.url);

export const PYTH: Published = {
  abi: new Interface(load("@pythnetwork/pyth-sdk-solidity/abis/MockPyth.json") as InterfaceAbi),
  bytecode: `0x${readFileSync(
    load.resolve("@pythnetwork/pyth-sdk-solidity/build/MockPyth_sol_MockPyth.bin"),
    "utf8",
  ).trim()}`,
};

export const AGGREGATOR_ABI = LOCAL_AGGREGATOR.abi;

/** Prices of Pyth's stock feeds have five decimals, those of Chainlink's eight. */
const PYTH_EXPONENT = -5;
export const AGGREGATOR_DECIMALS = 8;
/** Pyth's own idea of a fresh price, in seconds; the attestor judges by its policies. */
const PYTH_VALID_SECONDS = 60;
/** Half the width that the publisher claims for its price. */
const CONFIDENCE_BPS = 2;

/** Pyth's name of a stock's feed. */
export function pythSymbol(underlying: string): string {
  return `Equity.US.${underlying}/USD`;
}

/** The local feed's id; not the one of the real feed, as its prices are not real either. */
export function pythFeedId(underlying: string): string {
  return id(pythSymbol(underlying));
}

/** Pyth's name of the local dollar's feed. */
export const DOLLAR_SYMBOL = "Crypto.USDL/USD";
export const DOLLAR_FEED_ID = id(DOLLAR_SYMBOL);
/** What the local dollar is worth in US dollars, at every tick: a test moves it, the market never does. */
export const DOLLAR_PRICE = 1;

export const deployPyth = async (deployer: Sender): Promise<string> =>
  deployer.deploy(await creation(PYTH, [PYTH_VALID_SECONDS, 0]));

/** @param publisher the only one who may write its price */
export async function deployAggregator(
  deployer: Sender,
  description: string,
  publisher: string,
): Promise<string> {
  return deployer.deploy(await creation(LOCAL_AGGREGATOR, [publisher, description]));
}

/** A price for one feed. */
export interface Quote {
  readonly feedId: string;
  /** US dollars per share. */
  readonly price: number;
  /** Unix seconds. */
  readonly at: number;
}

/** One call that writes all these prices to Pyth. Its mock ignores a price that is not newer than the one it has. */
export function publishToPyth(pyth: string, quotes: readonly Quote[]): Call {
  const updates = quotes.map(({ feedId, price, at }) => {
    const raw = BigInt(Math.round(price * 10 ** -PYTH_EXPONENT));
    const confidence = (raw * BigInt(CONFIDENCE_BPS)) / 10_000n;
    const value = [raw, confidence, PYTH_EXPONENT, at];
    return AbiCoder.defaultAbiCoder().encode([PRICE_FEED], [[feedId, value, value]]);
  });
  return call(pyth, PYTH.abi, "updatePriceFeeds", [updates]);
}

const PRICE = "tuple(int64 price, uint64 conf, int32 expo, uint256 publishTime)";
const PRICE_FEED = `tuple(bytes32 id, ${PRICE} price, ${PRICE} emaPrice)`;

/** One call that writes a price to a Chainlink-shaped feed. @param at Unix seconds */
export function publishToAggregator(aggregator: string, price: number, at: number): Call {
  const answer = BigInt(Math.round(price * 10 ** AGGREGATOR_DECIMALS));
  return call(aggregator, AGGREGATOR_ABI, "submit", [answer, at]);
}

/** What a Chainlink-shaped feed says now. @throws Error before its first price */
export async function readAggregator(node: Pick<LocalNode, "request">, address: string) {
  const [round, answer, , updatedAt] = await view(node, address, AGGREGATOR_ABI, "latestRoundData");
  return {
    /** US dollars per share. */
    price: Number(answer) / 10 ** AGGREGATOR_DECIMALS,
    /** Unix seconds. */
    at: Number(updatedAt),
    /** How many prices the feed has had. */
    rounds: Number(round),
  };
}
