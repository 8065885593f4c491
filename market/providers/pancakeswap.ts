/** PancakeSwap's unified quote API on BNB chain. */
import { z } from "zod";
import { ProviderFault } from "./fault.ts";
import { type ProviderDeps, providerUpstream } from "./http.ts";
import type { Quote, QuoteRequest } from "./quote.ts";
import { RawAmount } from "./values.ts";

const NAME = "pancakeswap";

export interface PancakeSwap {
  /**
   * The best quote of PancakeSwap's own pools.
   * @returns null when there is no route
   * @throws ProviderFault
   */
  quote(request: QuoteRequest): Promise<Quote | null>;
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
      rate: { requests: 10, perMs: 1_000 },
      headers: deps.apiKey ? { "x-api-key": deps.apiKey } : {},
    },
    deps,
  );
  return {
    async quote(request) {
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
        { refusal: (status, body) => (status === 502 && NoRoute.safeParse(body).success ? null : undefined) },
      );
      if (!data) return null;
      if (data.best.inputAmount !== request.amountIn) throw new ProviderFault(NAME, "shape");
      return { provider: NAME, ...request, amountOut: data.best.outputAmount, receivedAt };
    },
  };
}
