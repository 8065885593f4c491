/** /api/v1: the data endpoints that take a key. */
import { z } from "zod";
import { type DataAnswers, LIFETIME_SECONDS } from "../data/answers.ts";
import { KEYED_PREMIUM } from "../data/datasets.ts";
import { inputsOf, inputsParameter } from "../data/inputs.ts";
import type { InputsLimits } from "../data/inputsLimits.ts";
import { addressOf, days, echoed, optionalText, tokenParameters } from "../data/query.ts";
import { historyResponses, namedResponses } from "../data/responses.ts";
import { AssetsAnswer, PremiumHistoryAnswer, ScoresAnswer } from "../data/schemas.ts";
import { ignoredHeader, refuseLong, unknownIn, windowOf, windowParameters } from "../data/windows.ts";
import { type DataAnswer, replyOf } from "../data/written.ts";
import { named } from "../docs/operations.ts";
import { Problem } from "../http/problems.ts";
import { type Call, defineRoute, type Reply, type Route } from "../http/route.ts";

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

/** @param inputsLimits of answers with `inputs=1` */
export function dataRoutes(answers: DataAnswers, inputsLimits: InputsLimits): Route[] {
  return [
    defineRoute({
      ...common,
      ...named("listTokens"),
      path: "/api/v1/assets",
      query: TokensQuery,
      responses: namedResponses("The tokens", AssetsAnswer),
      handle: async (call) => replyTo(await answers.assets(addressOf(call.query)), call, TokensQuery),
    }),

    defineRoute({
      ...common,
      ...named("liquidityScores"),
      path: "/api/v1/liquidity-scores",
      query: TokensQuery,
      responses: namedResponses("The scores", ScoresAnswer),
      handle: async (call) => replyTo(await answers.scores(addressOf(call.query)), call, TokensQuery),
    }),

    defineRoute({
      ...common,
      ...named("premiumHistory"),
      path: "/api/v1/premium-history",
      query: PremiumQuery,
      responses: historyResponses("The hours", PremiumHistoryAnswer),
      errors: ["bad_symbol", "window_too_long", "window_too_old"],
      handle: async (call) => {
        const { symbol, chain, days } = call.query;
        const address = addressOf(call.query);
        const byAddress = address !== undefined && symbol === "";
        if (!byAddress && !SYMBOL.test(symbol))
          throw new Problem("bad_symbol", "symbol must be one token symbol of 1 to 12 letters and digits");
        const inputs = inputsOf(call.query.inputs);
        const question = { days, window: windowOf(call.query), inputs };
        const most = inputs ? KEYED_PREMIUM.mostHoursWithInputs : KEYED_PREMIUM.mostHours;
        refuseLong(question, most, Math.floor(answers.now() / 1_000));
        const reply = async () => {
          const answer = await answers.premiumHistory({ symbol, chain, address }, question);
          return replyTo(answer, call, PremiumQuery);
        };
        return inputs ? inputsLimits.within(call, reply) : reply();
      },
    }),
  ];
}
