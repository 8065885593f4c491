/** KyberSwap's aggregator on BNB chain. */
import { z } from "zod";
import { nameBy } from "../../attestor/chains.ts";
import { ProviderFault } from "./fault.ts";
import { type AskQuote, provider, SECOND_MS } from "./provider.ts";
import { RawAmount } from "./values.ts";

const NAME = "kyberswap";
const NO_ROUTE = 4008;

const Code = z.looseObject({ code: z.int() });
const Answer = z.looseObject({
  code: z.int(),
  data: z
    .looseObject({ routeSummary: z.looseObject({ amountIn: RawAmount, amountOut: RawAmount }) })
    .nullish(),
});

export const KYBERSWAP = provider({
  name: NAME,
  setting: "KYBERSWAP",
  baseUrl: "https://aggregator-api.kyberswap.com",
  rate: { requests: 3, perMs: SECOND_MS },
  // Names this service, which KyberSwap requires.
  headers: { "x-client-id": "assay" },
  open(http) {
    /**
     * The best route over pools; makers who quote on request are left out, because their price at one size
     * says nothing of another.
     */
    const quote: AskQuote = async (chain, request, turns) => {
      const query = new URLSearchParams({
        tokenIn: request.inputToken,
        tokenOut: request.outputToken,
        amountIn: request.amountIn,
        gasInclude: "false",
        excludeRFQSources: "true",
      });
      const path = `/${nameBy(NAME, chain)}/api/v1/routes?${query}`;
      const { data, rawHash } = await http.getJson<z.infer<typeof Answer>>(path, Answer, {
        refusal: (_status, body) =>
          Code.safeParse(body).data?.code === NO_ROUTE ? { code: NO_ROUTE } : undefined,
        turns,
      });
      if (data.code === NO_ROUTE) return null;
      const route = data.data?.routeSummary;
      if (data.code !== 0 || route?.amountIn !== request.amountIn) throw new ProviderFault(NAME, "shape");
      return { provider: NAME, ...request, amountOut: route.amountOut, rawHash };
    };
    return { quotes: [quote], turns: http.turns };
  },
  exchange: (kyberswap) => kyberswap,
});
