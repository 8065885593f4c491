/** PancakeSwap's unified quote API on BNB chain. */
import { z } from "zod";
import { nameBy } from "../../attestor/chains.ts";
import { ProviderFault } from "./fault.ts";
import { type AskQuote, provider, SECOND_MS } from "./provider.ts";
import { RawAmount } from "./values.ts";

const NAME = "pancakeswap";

const Answer = z.looseObject({
  best: z.looseObject({ inputAmount: RawAmount, outputAmount: RawAmount }),
});

/** The engine's number of a missing route stands inside the message of a 502. */
const NoRoute = z.looseObject({ message: z.string().regex(/\b42102\b/) });

export const PANCAKESWAP = provider({
  name: NAME,
  setting: "PANCAKESWAP",
  baseUrl: "https://swap.pancakeswap.com",
  rate: { requests: 10, perMs: SECOND_MS },
  key: { required: false, lack: "the keyless limit of PancakeSwap's quotes" },
  keyHeaders: (key) => ({ "x-api-key": key }),
  open(http) {
    /** The best quote of PancakeSwap's own pools. */
    const quote: AskQuote = async (chain, request, turns) => {
      const query = new URLSearchParams({
        chainId: nameBy(NAME, chain),
        tokenIn: request.inputToken,
        tokenOut: request.outputToken,
        amount: request.amountIn,
        sources: "agg",
      });
      const { data, rawHash } = await http.getJson<z.infer<typeof Answer> | null>(
        `/v1/quote?${query}`,
        Answer,
        {
          refusal: (status, body) => (status === 502 && NoRoute.safeParse(body).success ? null : undefined),
          turns,
        },
      );
      if (!data) return null;
      if (data.best.inputAmount !== request.amountIn) throw new ProviderFault(NAME, "shape");
      return { provider: NAME, ...request, amountOut: data.best.outputAmount, rawHash };
    };
    return { quotes: [quote], turns: http.turns };
  },
  exchange: (pancakeswap) => pancakeswap,
});
