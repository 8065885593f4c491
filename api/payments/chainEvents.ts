/** Blocks and events, asked of a node within what nodes allow, and what a payment is on a chain. */
import { id, type JsonRpcProvider, type Log, zeroPadValue } from "ethers";
import { UpstreamUnavailable } from "../../chain/chainErrors.ts";
import { upstream } from "../../chain/rpc.ts";
import type { PaymentKey } from "./payload.ts";

/** The transfer that was agreed on, with the time of its end and the block at which its nonce was seen unused. */
export interface Wanted extends Omit<PaymentKey, "network"> {
  readonly payTo: string;
  /** Raw units, decimal. */
  readonly amount: string;
  /** Unix seconds of block time. */
  readonly validBefore: number;
  readonly unusedAtBlock: number;
}

/** A transfer as it was agreed on. */
export interface Transfer {
  readonly transactionHash: string;
  readonly blockNumber: number;
  readonly blockHash: string;
  readonly logIndex: number;
  /** The transaction says that it was made by the very authorization; otherwise it may be another one's. */
  readonly namesNonce: boolean;
}

/** What the chain has of an authorization whose nonce is used. */
export interface Use {
  /** The transfers that may be its own, oldest first. */
  readonly transfers: readonly Transfer[];
  /** From this block on it can have made no other transfer; null: nothing says so yet. */
  readonly endedAtBlock: number | null;
}

/** A way of moving a token by signature. Every function throws `UpstreamUnavailable` when the node does not answer. */
export interface Method {
  /** Whether it is used or cancelled, at the block: of several nodes behind one address, one that is behind says so. */
  isUsed(node: JsonRpcProvider, named: Omit<PaymentKey, "network">, block: number): Promise<boolean>;
  /** The agreed transfers in a transaction that may be its own. @returns null: it is in no block */
  transfersIn(node: JsonRpcProvider, transaction: string, wanted: Wanted): Promise<Transfer[] | null>;
  /** What became of a used one, by the blocks up to `head`. */
  useOf(node: JsonRpcProvider, wanted: Wanted, head: number): Promise<Use>;
  /**
   * Using an authorization for something else may leave no trace. Once block time is so many seconds past its end,
   * no trace means that; null: there is always a trace, and none means that the node is behind.
   */
  readonly silentAfterSeconds: number | null;
}

/** ERC-20. */
export const TRANSFER = id("Transfer(address,address,uint256)");
/** EIP-3009: the event before the transfer that an authorization makes. */
export const AUTHORIZATION_USED = id("AuthorizationUsed(address,bytes32)");

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

export const topicOf = (address: string): string => zeroPadValue(address, 32).toLowerCase();

/** Whether an event of the token is the transfer that was agreed on. */
export function isAgreed({ topics, data }: Pick<Log, "topics" | "data">, wanted: Wanted): boolean {
  const { payer, payTo, amount } = wanted;
  return (
    topics[0] === TRANSFER &&
    topics[1] === topicOf(payer) &&
    topics[2] === topicOf(payTo) &&
    BigInt(data) === BigInt(amount)
  );
}
