/** What every kind of route can do: quote an amount at a block, and encode the call that the executor makes. */
import type { PoolState } from "../../attestor/pools/poolState.ts";
import type { Route } from "../../attestor/registry.ts";
import type { UnixSeconds } from "../../attestor/values/time.ts";
import type { BlockReads, Caller } from "../blockReads.ts";

/** A way through a route. */
export interface RouteWay<R extends Route = Route> {
  readonly route: R;
  /** Tokens from input to output. */
  readonly path: readonly string[];
  /** Fee of each hop in hundredths of a bip; empty where the route has one fixed fee. */
  readonly fees: readonly number[];
}

export interface RouteQuote extends RouteWay {
  /** Raw units of the output token. */
  readonly amountOut: bigint;
  /** The state that the amount follows from, a pool a hop; null where the route's own quoter said it. */
  readonly pools: readonly PoolState[] | null;
}

export interface QuoteRequest {
  readonly reads: BlockReads;
  /** Keeps what was decoded at the block of `reads`. */
  readonly atBlock: AtBlock;
  readonly input: string;
  readonly output: string;
  /** Raw units of the input token. */
  readonly amountIn: bigint;
}

export type AtBlock = <T>(key: string, read: () => Promise<T>) => Promise<T>;

export interface RouteCall {
  readonly path: readonly string[];
  readonly fees: readonly number[];
  readonly amountIn: bigint;
  readonly minAmountOut: bigint;
  /** The address that the router pays: the guard's executor. */
  readonly recipient: string;
  readonly deadline: UnixSeconds;
}

export interface RouteAdapter<R extends Route = Route> {
  /** Every way through this route that trades the pair at this size; none where it does not. */
  quotes(route: R, request: QuoteRequest): Promise<RouteQuote[]>;
  /** What the route's own quoter says of an amount, raw units; null where it does not trade. */
  quoterSays(way: RouteWay<R>, amountIn: bigint, call: Caller["call"]): Promise<bigint | null>;
  /** The whole call data of the route. */
  encode(call: RouteCall): string;
}
