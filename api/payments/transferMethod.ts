/** What a way of moving a token by signature has to say about an authorization: the interface of `eip3009.ts` and `permit2.ts`. */
import type { JsonRpcProvider } from "ethers";
import type { PaymentKey } from "./payload.ts";
import type { StoredPayment } from "./rows.ts";

/** What names an authorization on the chain; its nonce as in the ledger (`authorization.ts`). */
export type NamedAuthorization = Omit<PaymentKey, "network">;

/** The transfer that was agreed on, with the time of its end and the block at which it was seen unused. */
export type Wanted = NamedAuthorization &
  Pick<StoredPayment, "payTo" | "amount" | "validBefore" | "unusedAtBlock">;

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
