/** /api/v1: the data endpoints that take a key. */
import { z } from "zod";
import { CHAIN_NAMES } from "../../attestor/chains.ts";
import { type DataAnswers, LIFETIME_SECONDS } from "../data/answers.ts";
import { days, echoed, optionalText } from "../data/query.ts";
import { cachedResponses } from "../data/responses.ts";
import { AssetsAnswer, PremiumHistoryAnswer, ScoresAnswer } from "../data/schemas.ts";
import { named } from "../docs/operations.ts";
import { replyWith } from "../http/cacheReply.ts";
import { Problem } from "../http/problems.ts";
import { defineRoute, type Route } from "../http/route.ts";

const common = { tags: ["Data"], auth: "key", recentKeyWillDo: true, lenientQuery: true } as const;
const CACHE_CONTROL = `private, max-age=${LIFETIME_SECONDS}`;
const SYMBOL = /^[A-Za-z0-9]{1,12}$/;
const ADDRESS_LENGTH = 64;

const AssetsQuery = z.object({
  address: optionalText("Lists only that token: its address, in any letter case on EVM chains"),
});
const ScoresQuery = AssetsQuery;
const PremiumQuery = z.object({
  symbol: echoed("Token symbol as minted, 1 to 12 letters and digits; not needed with `address`", true),
  days: days(90, 30),
  chain: optionalText("Which token, where the symbol exists on several chains; by default the first listed", {
    enum: CHAIN_NAMES,
  }),
  address: optionalText(
    "The token by its address, in any letter case on EVM chains; symbol and chain are then ignored",
  ),
});

export function dataRoutes(answers: DataAnswers): Route[] {
  return [
    defineRoute({
      ...common,
      ...named("listTokens"),
      path: "/api/v1/assets",
      query: AssetsQuery,
      responses: cachedResponses("The tokens", AssetsAnswer),
      async handle({ query, headers }) {
        const address = query.address?.slice(0, ADDRESS_LENGTH);
        return replyWith(await answers.assets(address), headers, CACHE_CONTROL);
      },
    }),

    defineRoute({
      ...common,
      ...named("liquidityScores"),
      path: "/api/v1/liquidity-scores",
      query: ScoresQuery,
      responses: cachedResponses("The scores", ScoresAnswer),
      handle: async ({ query, headers }) =>
        replyWith(await answers.scores(query.address?.slice(0, ADDRESS_LENGTH)), headers, CACHE_CONTROL),
    }),

    defineRoute({
      ...common,
      ...named("premiumHistory"),
      path: "/api/v1/premium-history",
      query: PremiumQuery,
      responses: cachedResponses("The hours", PremiumHistoryAnswer),
      errors: ["bad_symbol"],
      async handle({ query, headers }) {
        const { symbol, chain } = query;
        const address = query.address?.slice(0, ADDRESS_LENGTH);
        const byAddress = address !== undefined && symbol === "";
        if (!byAddress && !SYMBOL.test(symbol))
          throw new Problem("bad_symbol", "symbol must be one token symbol of 1 to 12 letters and digits");
        const wanted = { symbol, chain, address };
        return replyWith(await answers.premiumHistory(wanted, query.days), headers, CACHE_CONTROL);
      },
    }),
  ];
}
