/** Quotes by `eth_call`: V3 quoters and V2 routers of BNB chain, or of the local one, over direct pools. */

import { Interface, isError } from "ethers";
import { z } from "zod";
import type { QuotingContract } from "../../attestor/chains.ts";
import { ProviderFault } from "./fault.ts";
import { type ProviderDeps, providerUpstream, type Upstream } from "./http.ts";
import type { Quote, QuoteRequest } from "./quote.ts";
import type { RateLimit } from "./rate.ts";

const NAME = "onchain";

export interface VenueQuote extends Quote {
  /** Name of the venue whose pool gives most. */
  readonly venue: string;
}

export interface OnchainQuoter {
  /** @throws ProviderFault */
  blockNumber(): Promise<number>;
  /**
   * The best direct pool's quote at a block: quote a tiny and a large amount at the same one.
   * @returns null when no venue has a pool that can fill the amount
   * @throws ProviderFault
   */
  quote(request: QuoteRequest, blockNumber: number): Promise<VenueQuote | null>;
}

const V3 = new Interface([
  "function quoteExactInputSingle((address tokenIn,address tokenOut,uint256 amountIn,uint24 fee,uint160 sqrtPriceLimitX96) params) returns (uint256 amountOut,uint160 sqrtPriceX96After,uint32 initializedTicksCrossed,uint256 gasEstimate)",
]);
const V2 = new Interface([
  "function getAmountsOut(uint256 amountIn,address[] path) view returns (uint256[] amounts)",
]);

/** Ends of the price range in V3: a swap that stops there did not find enough to buy. */
const MIN_SQRT_PRICE = 4_295_128_739n;
const MAX_SQRT_PRICE = 1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_342n;

const Result = z.looseObject({ result: z.string().regex(/^0x([0-9a-f]{2})*$/i) });
const Quantity = z.looseObject({ result: z.string().regex(/^0x[0-9a-f]{1,12}$/i) });
const RpcError = z.looseObject({ error: z.looseObject({ code: z.int(), message: z.unknown().optional() }) });
const REVERTED = 3;
const LIMIT_EXCEEDED = -32_005;

/** @param deps.baseUrl of the JSON-RPC endpoint; @param deps.rate as its operator allows */
export function createOnchainQuoter(
  deps: ProviderDeps & {
    readonly baseUrl: string;
    readonly venues: readonly QuotingContract[];
    readonly rate?: RateLimit;
  },
): OnchainQuoter {
  const rate = deps.rate ?? { requests: 20, perMs: 1_000, burst: 5 };
  const upstream = providerUpstream({ name: NAME, baseUrl: deps.baseUrl, rate }, deps);
  return {
    async blockNumber() {
      const answer = await rpc(upstream, "eth_blockNumber", [], Quantity);
      if (!answer) throw new ProviderFault(NAME, "shape");
      return Number(answer.data.result);
    },
    async quote(request, blockNumber) {
      let best: VenueQuote | null = null;
      for (const { venue, to, data, read } of callsOf(deps.venues, request)) {
        const block = `0x${blockNumber.toString(16)}`;
        const answer = await rpc(upstream, "eth_call", [{ to, data }, block], Result);
        const amountOut = answer && decoded(read, answer.data.result);
        if (!answer || !amountOut || (best && amountOut <= BigInt(best.amountOut))) continue;
        best = {
          provider: NAME,
          venue,
          ...request,
          amountOut: amountOut.toString(),
          receivedAt: answer.receivedAt,
        };
      }
      return best;
    },
  };
}

interface Call {
  readonly venue: string;
  readonly to: string;
  readonly data: string;
  /** Raw units of the output token; null when the pool cannot fill the amount. */
  read(result: string): bigint | null;
}

function callsOf(
  venues: readonly QuotingContract[],
  { inputToken, outputToken, amountIn }: QuoteRequest,
): Call[] {
  return venues.flatMap((venue): Call[] => {
    if (venue.kind === "v2")
      return [
        {
          venue: venue.name,
          to: venue.router,
          data: V2.encodeFunctionData("getAmountsOut", [amountIn, [inputToken, outputToken]]),
          read: (result) => V2.decodeFunctionResult("getAmountsOut", result)[0].at(-1) as bigint,
        },
      ];
    return venue.fees.map((fee) => ({
      venue: venue.name,
      to: venue.quoter,
      data: V3.encodeFunctionData("quoteExactInputSingle", [[inputToken, outputToken, amountIn, fee, 0]]),
      read: (result) => {
        const [amountOut, priceAfter] = V3.decodeFunctionResult("quoteExactInputSingle", result);
        const exhausted = priceAfter <= MIN_SQRT_PRICE + 1n || priceAfter >= MAX_SQRT_PRICE - 1n;
        return exhausted ? null : (amountOut as bigint);
      },
    }));
  });
}

/** @returns null for a call that reverted, which a missing pool does */
async function rpc<T>(upstream: Upstream, method: string, params: unknown[], schema: z.ZodType<T>) {
  const envelope = z.union([schema, RpcError]);
  const answer = await upstream.postJson("", { jsonrpc: "2.0", id: 1, method, params }, envelope, {
    // Some nodes send their errors with an error status.
    refusal: (_status, body) => RpcError.safeParse(body).data,
  });
  const failed = RpcError.safeParse(answer.data);
  if (!failed.success) return { ...answer, data: answer.data as T };
  const { code, message } = failed.data.error;
  if (code === REVERTED || /\brevert(ed)?\b/i.test(String(message))) return null;
  throw new ProviderFault(NAME, code === LIMIT_EXCEEDED ? "rate_limited" : "status");
}

/** An address without a contract answers with nothing, which is a wrong setting and no missing pool. */
function decoded(read: Call["read"], result: string): bigint | null {
  try {
    return read(result);
  } catch (error) {
    if (isError(error, "BAD_DATA") || isError(error, "BUFFER_OVERRUN"))
      throw new ProviderFault(NAME, "shape");
    throw error;
  }
}
