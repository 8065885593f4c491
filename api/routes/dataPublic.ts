/** The data endpoints that anyone may ask. They know no errors of their parameters, and no outage. */
import { z } from "zod";
import { CHAIN_NAMES } from "../../attestor/chains.ts";
import { type DataAnswers, LIFETIME_SECONDS, type PublicAnswer } from "../data/answers.ts";
import { days, echoed, optionalText } from "../data/query.ts";
import { cachedResponses } from "../data/responses.ts";
import { BasisAnswer, OverviewAnswer, PublicPremiumAnswer } from "../data/schemas.ts";
import { named } from "../docs/operations.ts";
import { replyWith } from "../http/cacheReply.ts";
import { type Call, defineRoute, type Reply, type Route } from "../http/route.ts";

/** Of the general limit per address: these answers are kept, and a page asks for several at once. */
const TIMES_ADDRESS_LIMIT = 15;

const common = {
  tags: ["Public data"],
  auth: "public",
  addressLimit: { bucket: "data", times: TIMES_ADDRESS_LIMIT },
  lenientQuery: true,
} as const;
const lenience =
  "The answer is 200 whatever the parameters are. The limit per address is shared by the public data endpoints; do not poll faster than the answers change.";

const OverviewQuery = z.object({ days: days(365, 90) });
const PremiumQuery = z.object({
  symbol: echoed("Token symbol as minted", true),
  days: days(30, 7),
  chain: optionalText("Which token, where the symbol exists on several chains; by default the first listed", {
    enum: CHAIN_NAMES,
  }),
  address: optionalText(
    "The token by its address, in any letter case on EVM chains; symbol and chain are then ignored",
  ),
});
const BasisQuery = z.object({
  underlying: echoed("Ticker of the stock", true),
  days: days(30, 7),
  venue: optionalText(
    "Where the perpetual trades, such as `hyperliquid` or `binance`; by default the first of `venues`. Series of different venues are never mixed",
  ),
  address: optionalText("The stock by the address of a token that stands for it; underlying is then ignored"),
});

/** No address is longer. */
const ADDRESS_LENGTH = 64;
const addressOf = ({ address }: { readonly address?: string | undefined }) =>
  address?.slice(0, ADDRESS_LENGTH);

/** An answer that lacks something is nobody's to keep. */
function reply(
  { finished, degraded }: PublicAnswer,
  { headers }: Pick<Call<unknown, unknown, unknown>, "headers">,
): Promise<Reply> {
  return replyWith(finished, headers, degraded ? "no-store" : `public, max-age=${LIFETIME_SECONDS}`);
}

/** Name and words of an operation, with what all of them say. */
function lenient(...[operationId]: Parameters<typeof named>) {
  const { description, ...words } = named(operationId);
  return { ...words, description: `${description} ${lenience}` };
}

export function publicDataRoutes(answers: DataAnswers): Route[] {
  return [
    defineRoute({
      ...common,
      ...lenient("marketOverview"),
      path: "/api/market-overview",
      query: OverviewQuery,
      responses: cachedResponses("Daily snapshots, oldest first, and live totals", OverviewAnswer),
      handle: async (call) => reply(await answers.overview(call.query.days), call),
    }),

    defineRoute({
      ...common,
      ...lenient("publicPremiumHistory"),
      path: "/api/premium/history",
      query: PremiumQuery,
      responses: cachedResponses("The hours", PublicPremiumAnswer),
      handle: async (call) =>
        reply(
          await answers.publicPremium({ ...call.query, address: addressOf(call.query) }, call.query.days),
          call,
        ),
    }),

    defineRoute({
      ...common,
      ...lenient("basisHistory"),
      path: "/api/basis/history",
      query: BasisQuery,
      responses: cachedResponses("The hours", BasisAnswer),
      handle: async (call) =>
        reply(
          await answers.basis(
            { ticker: call.query.underlying, address: addressOf(call.query) },
            call.query.days,
            call.query.venue,
          ),
          call,
        ),
    }),
  ];
}
