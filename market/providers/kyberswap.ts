/** KyberSwap's aggregator on BNB chain. */
import { z } from "zod";
import { ProviderFault } from "./fault.ts";
import { type ProviderDeps, providerUpstream } from "./http.ts";
import type { Quote, QuoteRequest } from "./quote.ts";
import { RawAmount } from "./values.ts";

const NAME = "kyberswap";
const NO_ROUTE = 4008;

export interface KyberSwap {
  /**
   * The best route over pools; makers who quote on request are left out, because their price at one size
   * says nothing of another.
   * @returns null when there is no route
   * @throws ProviderFault
   */
  quote(request: QuoteRequest): Promise<Quote | null>;
}

const Code = z.looseObject({ code: z.int() });
const Answer = z.looseObject({
  code: z.int(),
  data: z
    .looseObject({ routeSummary: z.looseObject({ amountIn: RawAmount, amountOut: RawAmount }) })
    .nullish(),
});

/** @param deps.clientId names this service to KyberSwap, which requires it */
export function createKyberSwap(deps: ProviderDeps & { readonly clientId: string }): KyberSwap {
  const upstream = providerUpstream(
    {
      name: NAME,
      baseUrl: "https://aggregator-api.kyberswap.com",
      timeoutMs: 10_000,
      rate: { requests: 3, perMs: 1_000 },
      headers: { "x-client-id": deps.clientId },
    },
    deps,
  );
  return {
    async quote(request) {
      const query = new URLSearchParams({
        tokenIn: request.inputToken,
        tokenOut: request.outputToken,
        amountIn: request.amountIn,
        gasInclude: "false",
        excludeRFQSources: "true",
      });
      const { data, receivedAt } = await upstream.getJson<z.infer<typeof Answer>>(
        `/bsc/api/v1/routes?${query}`,
        Answer,
        {
          refusal: (_status, body) =>
            Code.safeParse(body).data?.code === NO_ROUTE ? { code: NO_ROUTE } : undefined,
        },
      );
      if (data.code === NO_ROUTE) return null;
      const route = data.data?.routeSummary;
      if (data.code !== 0 || route?.amountIn !== request.amountIn) throw new ProviderFault(NAME, "shape");
      return { provider: NAME, ...request, amountOut: route.amountOut, receivedAt };
    },
  };
}
