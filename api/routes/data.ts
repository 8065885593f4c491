/** /api/v1: the data endpoints that take a key. */
import { z } from "zod";
import { LIFETIME_SECONDS } from "../data/answers.ts";
import { KEYED_PREMIUM } from "../data/datasets.ts";
import { inputsOf, inputsParameter } from "../data/inputs.ts";
import { addressOf, days, echoed, optionalText, tokenParameters } from "../data/query.ts";
import { historyResponses, namedResponses } from "../data/responses.ts";
import { AssetsAnswer, PremiumHistoryAnswer, ScoresAnswer } from "../data/schemas.ts";
import { ignoredHeader, refuseLong, unknownIn, windowOf, windowParameters } from "../data/windows.ts";
import { type DataAnswer, replyOf } from "../data/written.ts";
import { Problem } from "../http/problems.ts";
import type { Call, Reply } from "../http/route.ts";
import { route } from "../route.ts";

const common = { tags: ["Data"], auth: "key", recentKeyWillDo: true, lenientQuery: true } as const;
const CACHE_CONTROL = `private, max-age=${LIFETIME_SECONDS}`;
const SYMBOL = /^[A-Za-z0-9]{1,12}$/;

const TokensQuery = z.looseObject({
  address: optionalText("Lists only that token: its address, in any letter case on EVM chains"),
});
const PremiumQuery = z.looseObject({
  symbol: echoed("Token symbol as minted, 1 to 12 letters and digits; not needed with `address`", true),
  days: days(90, 30),
  ...tokenParameters,
  ...windowParameters(`${KEYED_PREMIUM.mostHours} hours`),
  inputs: inputsParameter(KEYED_PREMIUM.mostHoursWithInputs),
});

/** Names what counts for nothing. */
function replyTo(answer: DataAnswer, call: Asking, schema: z.ZodObject): Promise<Reply> {
  return replyOf(answer, call, CACHE_CONTROL, ignoredHeader(unknownIn(call.query, schema)));
}

type Asking = Pick<Call<unknown, Readonly<Record<string, unknown>>, unknown>, "headers" | "query">;

export const dataRoutes = [
  route({
    ...common,
    path: "/api/v1/assets",
    operationId: "listTokens",
    summary: "The listed tokens with their liquidity grades",
    description:
      "Every token with symbol, issuer, chain and address, and its liquidity grade where samples say one.",
    query: TokensQuery,
    responses: namedResponses("The tokens", AssetsAnswer),
    handle: async (call, { answers }) =>
      replyTo(await answers.assets(addressOf(call.query)), call, TokensQuery),
  }),

  route({
    ...common,
    path: "/api/v1/liquidity-scores",
    operationId: "liquidityScores",
    summary: "Liquidity grades and price impact, 7-day rolling medians",
    description:
      "Lists every token that has samples; `methodology` says how the figures are computed. An impact rests on three quotes of one venue at one moment.",
    query: TokensQuery,
    responses: namedResponses("The scores", ScoresAnswer),
    handle: async (call, { answers }) =>
      replyTo(await answers.scores(addressOf(call.query)), call, TokensQuery),
  }),

  route({
    ...common,
    path: "/api/v1/premium-history",
    operationId: "premiumHistory",
    summary: "Hourly premium of a token against its stock",
    description:
      "Oldest first; hours without samples are absent, and a symbol that is not listed has no points. A premium rests on three levels: the token's price, its shares per token and the stock's price. Each is the median of the independent sources that agree; `state` says whether any do, and `spread_bps` how closely.",
    query: PremiumQuery,
    responses: historyResponses("The hours", PremiumHistoryAnswer),
    errors: ["bad_symbol", "window_too_long", "window_too_old"],
    handle: async (call, { answers, inputsLimits, now }) => {
      const { symbol, chain, days } = call.query;
      const address = addressOf(call.query);
      const byAddress = address !== undefined && symbol === "";
      if (!byAddress && !SYMBOL.test(symbol))
        throw new Problem("bad_symbol", "symbol must be one token symbol of 1 to 12 letters and digits");
      const inputs = inputsOf(call.query.inputs);
      const question = { days, window: windowOf(call.query), inputs };
      const most = inputs ? KEYED_PREMIUM.mostHoursWithInputs : KEYED_PREMIUM.mostHours;
      refuseLong(question, most, Math.floor(now() / 1_000));
      const reply = async () => {
        const answer = await answers.premiumHistory({ symbol, chain, address }, question);
        return replyTo(answer, call, PremiumQuery);
      };
      return inputs ? inputsLimits.within(call, reply) : reply();
    },
  }),
];
