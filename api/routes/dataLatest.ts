/** /api/v1/latest: the newest values of all tokens in one call. */
import { z } from "zod";
import { CHAIN_NAMES } from "../../attestor/chains.ts";
import { type DataAnswers, LIFETIME_SECONDS } from "../data/answers.ts";
import { format } from "../data/formats.ts";
import { LatestAnswer } from "../data/latestSchemas.ts";
import { TokenPlace } from "../data/listTexts.ts";
import { moment, name, rows, someOf, words } from "../data/query.ts";
import { listedResponses } from "../data/responses.ts";
import { Grade, Issuer } from "../data/schemas.ts";
import { windowOf } from "../data/windows.ts";
import { replyOf } from "../data/written.ts";
import { named } from "../docs/operations.ts";
import { defineRoute, type Route } from "../http/route.ts";

const CACHE_CONTROL = `private, max-age=${LIFETIME_SECONDS}`;
const MOST_TOKENS = 1_000;
/** Names that one question may have. */
const LONGEST_LIST = 4_000;

const LatestQuery = z.strictObject({
  symbol: someOf(
    z.string().min(1).max(64),
    "Only tokens with these symbols, as minted, with commas between",
    LONGEST_LIST,
  ),
  chain: someOf(z.enum(CHAIN_NAMES), `Only on these chains: ${CHAIN_NAMES.join(", ")}`),
  issuer: someOf(Issuer, `Only of these issuers: ${words(Issuer)}`),
  grade: someOf(Grade, `Only with these liquidity grades: ${words(Grade)}`),
  underlying: someOf(
    z.string().min(1).max(16),
    "Only of the stocks with these tickers, with commas between",
    LONGEST_LIST,
  ),
  address: name("Only the token at this address, in any letter case on EVM chains"),
  q: name("Only tokens whose symbol, ticker or name has each of these words, in any letter case"),
  from: moment("Only those sampled then or later: a date or a date-time, UTC"),
  to: moment("Only those sampled before then"),
  limit: rows(MOST_TOKENS)
    .optional()
    .meta({
      description: "Tokens in a page; all by default",
      override: { type: "integer", minimum: 1, maximum: MOST_TOKENS },
    }),
  cursor: z.string().max(200).optional().describe("Where the page begins: `next_cursor` of the page before"),
  format,
});

export function latestRoutes(answers: DataAnswers): Route[] {
  return [
    defineRoute({
      ...{ tags: ["Data"], auth: "key", recentKeyWillDo: true },
      ...named("latest"),
      path: "/api/v1/latest",
      query: LatestQuery,
      responses: listedResponses("The tokens", LatestAnswer),
      async handle(call) {
        const { from, to, limit, cursor, format, ...wanted } = call.query;
        const size = limit === undefined ? undefined : String(limit);
        const window = windowOf({ from, to, limit: size, cursor }, TokenPlace, MOST_TOKENS);
        const answer = await answers.latest({ ...wanted, ...window, format });
        return replyOf(answer, call, CACHE_CONTROL);
      },
    }),
  ];
}
