/** What a way of moving a token by signature has to say about an authorization: the interface of `eip3009.ts` and `permit2.ts`. */
import type { JsonRpcProvider } from "ethers";

/** What names an authorization on the chain. */
export interface NamedAuthorization {
  readonly asset: string;
  readonly payer: string;
  /** As in the ledger (`authorization.ts`). */
  readonly nonce: string;
}

/** The transfer that was agreed on. */
export interface Wanted extends NamedAuthorization {
  readonly payTo: string;
  /** Raw units. */
  readonly amount: string;
  /** Unix seconds of block time. */
  readonly validBefore: number;
  /** Where it was seen unused. */
  readonly unusedAtBlock: number;
}

export interface Transferred {
  readonly transactionHash: string;
  readonly blockNumber: number;
  readonly blockHash: string;
}

/** What became of an authorization that is used up, and in which block. */
export type End =
  | ({ readonly state: "paid" } & Transferred)
  | { readonly state: "spent_otherwise"; readonly blockNumber: number };

/** Every function throws `UpstreamUnavailable` when the node does not answer. */
export interface Method {
  /** Whether it is used or cancelled, at the block: of several nodes behind one address, one that is behind says so. */
  isUsed(node: JsonRpcProvider, named: NamedAuthorization, block: number): Promise<boolean>;
  /**
   * Whether a transaction made the agreed transfer by this very authorization.
   * @returns false when it did not; null when it is in no block
   */
  transferIn(node: JsonRpcProvider, transaction: string, wanted: Wanted): Promise<Transferred | false | null>;
  /** What became of a used one, by the blocks up to `head`. @returns null: the node shows nothing of it (yet) */
  endOf(node: JsonRpcProvider, wanted: Wanted, head: number): Promise<End | null>;
  /**
   * Using an authorization for something else may leave no trace. Once block time is so many seconds past its end,
   * no trace means that; null: there is always a trace, and none means that the node is behind.
   */
  readonly silentAfterSeconds: number | null;
}
