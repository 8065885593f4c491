/** How fast a transaction is to be mined, and what that may cost. */
import type { PendingFile } from "../admin/pending.ts";

export interface Pace {
  /** Of what is under way. */
  readonly file: PendingFile;
  /** Which nonce it takes: `latest` replaces what is stuck in the pool, `pending` goes after it. */
  readonly nonceAfter: "latest" | "pending";
  /** The first offer is so many times the market's fee. */
  readonly firstTimesMarket: bigint;
  /** A transaction that no block took for so long is offered half as much again. */
  readonly raiseAfterMs: number;
  /** No more is offered than so many times the market's fee: it would buy nothing. */
  readonly mostTimesMarket: bigint;
  /** How often a node that has lost the transaction gets it again. */
  readonly resendAfterMs: number;
  /** How long a run goes on before it leaves the rest to the next one. */
  readonly patienceMs: number;
  /** Whether it also waits for an RPC that does not answer. */
  readonly outlastsRpc: boolean;
  /** A nonce that seems to be another transaction's is looked at again after so long: nodes behind one address may lag. */
  readonly lagMs: number;
  readonly pollMs: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** The cost that was shown holds, and a block may take a minute. */
export const STEADY: Pace = {
  file: "pending.json",
  nonceAfter: "pending",
  firstTimesMarket: 1n,
  raiseAfterMs: MINUTE,
  mostTimesMarket: 3n,
  resendAfterMs: 15 * SECOND,
  patienceMs: 5 * MINUTE,
  outlastsRpc: false,
  lagMs: 3 * SECOND,
  pollMs: SECOND,
};

/** A minute counts and the gas does not: for a pause. */
export const URGENT: Pace = {
  file: "urgent.pending.json",
  nonceAfter: "latest",
  firstTimesMarket: 2n,
  raiseAfterMs: 6 * SECOND,
  mostTimesMarket: 25n,
  resendAfterMs: SECOND,
  patienceMs: 3 * MINUTE,
  outlastsRpc: true,
  lagMs: 0,
  pollMs: SECOND / 2,
};
