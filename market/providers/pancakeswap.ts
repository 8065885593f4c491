/** PancakeSwap's unified quote API on BNB chain. */
import { z } from "zod";
import { ProviderFault } from "./fault.ts";
import { type ProviderDeps, providerUpstream } from "./http.ts";
import { LIMITS } from "./limits.ts";
import type { Quote, QuoteRequest } from "./quote.ts";
import type { Turns } from "./rate.ts";
import { RawAmount } from "./values.ts";

const NAME = "pancakeswap";

export interface PancakeSwap {
  /**
   * The best quote of PancakeSwap's own pools.
   * @returns null when there is no route
   * @param turns of `turns`, for quotes of one moment
   * @throws ProviderFault
   */
  quote(request: QuoteRequest, turns?: Turns): Promise<Quote | null>;
  /** @throws ProviderFault */
  turns(count: number): Promise<Turns>;
}

const Answer = z.looseObject({
  best: z.looseObject({ inputAmount: RawAmount, outputAmount: RawAmount }),
});

/** The engine's number of a missing route stands inside the message of a 502. */
const NoRoute = z.looseObject({ message: z.string().regex(/\b42102\b/) });

/** @param deps.apiKey optional; keyless is 10 requests a second */
export function createPancakeSwap(
  deps: ProviderDeps & { readonly apiKey?: string; readonly chainId?: number },
): PancakeSwap {
  const upstream = providerUpstream(
    {
      name: NAME,
      baseUrl: "https://swap.pancakeswap.com",
      timeoutMs: 10_000,
      rate: LIMITS.pancakeswap,
      headers: deps.apiKey ? { "x-api-key": deps.apiKey } : {},
    },
    deps,
  );
  return {
    turns: (count) => upstream.turns(count, "impact"),
    async quote(request, turns) {
      const query = new URLSearchParams({
        chainId: String(deps.chainId ?? 56),
        tokenIn: request.inputToken,
        tokenOut: request.outputToken,
        amount: request.amountIn,
        sources: "agg",
      });
      const { data, receivedAt } = await upstream.getJson<z.infer<typeof Answer> | null>(
        `/v1/quote?${query}`,
        Answer,
        {
          refusal: (status, body) => (status === 502 && NoRoute.safeParse(body).success ? null : undefined),
          ...(turns && { turns }),
        },
      );
      if (!data) return null;
      if (data.best.inputAmount !== request.amountIn) throw new ProviderFault(NAME, "shape");
      return { provider: NAME, ...request, amountOut: data.best.outputAmount, receivedAt };
    },
  };
}
