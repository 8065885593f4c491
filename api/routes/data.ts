/** /api/v1: the data endpoints that take a key. */
import { z } from "zod";
import { type DataAnswers, LIFETIME_SECONDS } from "../data/answers.ts";
import { detailParameters, detailsOf, mostWith } from "../data/details.ts";
import { KEYED_PREMIUM } from "../data/faces.ts";
import { TokenPlace } from "../data/listTexts.ts";
import { addressOf, days, echoed, optionalText, tokenParameters } from "../data/query.ts";
import { windowedResponses } from "../data/responses.ts";
import { AssetsAnswer, PremiumHistoryAnswer, ScoresAnswer } from "../data/schemas.ts";
import { HourPlace } from "../data/seriesPages.ts";
import { ignoredHeader, knownIn, pageParameters, windowOf, windowParameters } from "../data/windows.ts";
import { type DataAnswer, replyOf } from "../data/written.ts";
import { named } from "../docs/operations.ts";
import { Problem } from "../http/problems.ts";
import { type Call, defineRoute, type Reply, type Route } from "../http/route.ts";

const common = { tags: ["Data"], auth: "key", recentKeyWillDo: true, lenientQuery: true } as const;
const CACHE_CONTROL = `private, max-age=${LIFETIME_SECONDS}`;
const SYMBOL = /^[A-Za-z0-9]{1,12}$/;

/** Of a page of tokens. */
const MOST_TOKENS = 1_000;

const address = optionalText("Lists only that token: its address, in any letter case on EVM chains");
const AssetsQuery = z.looseObject({ address, ...pageParameters("tokens", MOST_TOKENS) });
const ScoresQuery = z.looseObject({
  address,
  ...windowParameters("tokens", MOST_TOKENS, "from the first on; by `updated_at`"),
});
const PremiumQuery = z.looseObject({
  symbol: echoed("Token symbol as minted, 1 to 12 letters and digits; not needed with `address`", true),
  days: days(90, 30),
  ...tokenParameters,
  ...windowParameters("hours", KEYED_PREMIUM.most, "`days` before `to`"),
  ...detailParameters,
});

type TokensQuery = z.infer<typeof AssetsQuery>;
const tokensOf = (query: TokensQuery) =>
  [addressOf(query), windowOf(query, TokenPlace, MOST_TOKENS)] as const;

/** Names what counts for nothing. */
function replyTo(answer: DataAnswer, { headers, query: given }: Asking, schema: z.ZodObject): Promise<Reply> {
  const { query, unknown } = knownIn(given, schema);
  return replyOf(answer, { headers, query }, CACHE_CONTROL, ignoredHeader(unknown));
}

type Asking = Pick<Call<unknown, Readonly<Record<string, unknown>>, unknown>, "headers" | "query">;

export function dataRoutes(answers: DataAnswers): Route[] {
  return [
    defineRoute({
      ...common,
      ...named("listTokens"),
      path: "/api/v1/assets",
      query: AssetsQuery,
      responses: windowedResponses("The tokens", AssetsAnswer),
      handle: async (call) => {
        // Tokens have no time of their own.
        const [address, window] = tokensOf({ ...call.query, from: undefined, to: undefined });
        const answer = await answers.assets(address, window);
        return replyTo(answer, call, AssetsQuery);
      },
    }),

    defineRoute({
      ...common,
      ...named("liquidityScores"),
      path: "/api/v1/liquidity-scores",
      query: ScoresQuery,
      responses: windowedResponses("The scores", ScoresAnswer),
      handle: async (call) => {
        const answer = await answers.scores(...tokensOf(call.query));
        return replyTo(answer, call, ScoresQuery);
      },
    }),

    defineRoute({
      ...common,
      ...named("premiumHistory"),
      path: "/api/v1/premium-history",
      query: PremiumQuery,
      responses: windowedResponses("The hours", PremiumHistoryAnswer),
      errors: ["bad_symbol"],
      handle: async (call) => {
        const { symbol, chain, days } = call.query;
        const address = addressOf(call.query);
        const byAddress = address !== undefined && symbol === "";
        if (!byAddress && !SYMBOL.test(symbol))
          throw new Problem("bad_symbol", "symbol must be one token symbol of 1 to 12 letters and digits");
        const details = detailsOf(call.query);
        const window = windowOf(call.query, HourPlace, mostWith(details, KEYED_PREMIUM));
        const answer = await answers.premiumHistory({ symbol, chain, address }, { days, window, details });
        return replyTo(answer, call, PremiumQuery);
      },
    }),
  ];
}
