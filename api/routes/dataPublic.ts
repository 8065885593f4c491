/** The data endpoints that anyone may ask. They know no errors of their parameters, and no outage. */
import { z } from "zod";
import { type DataAnswers, LIFETIME_SECONDS, type PublicAnswer } from "../data/answers.ts";
import { detailParameters, mostWith, readDetails } from "../data/details.ts";
import { BASIS, PUBLIC_PREMIUM } from "../data/faces.ts";
import { DAYS_IN_PAGE, DayPlace } from "../data/overviewPages.ts";
import { addressOf, days, echoed, optionalText, tokenParameters } from "../data/query.ts";
import { windowedResponses } from "../data/responses.ts";
import { BasisAnswer, OverviewAnswer, PublicPremiumAnswer } from "../data/schemas.ts";
import { HourPlace } from "../data/seriesPages.ts";
import { ignoredHeader, knownIn, readWindow, type Window, windowParameters } from "../data/windows.ts";
import { replyOf } from "../data/written.ts";
import { named } from "../docs/operations.ts";
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
  "The answer is 200 for any parameters. The limit per address is shared by the public data endpoints; do not poll faster than the answers change.";

const OverviewQuery = z.looseObject({
  days: days(365, 90),
  ...windowParameters("days", DAYS_IN_PAGE, "`days` before `to`"),
});
const PremiumQuery = z.looseObject({
  symbol: echoed("Token symbol as minted", true),
  days: days(30, 7),
  ...tokenParameters,
  ...windowParameters("hours", PUBLIC_PREMIUM.most, "`days` before `to`"),
});
const BasisQuery = z.looseObject({
  underlying: echoed("Ticker of the stock", true),
  days: days(30, 7),
  venue: optionalText(
    "Where the perpetual trades, such as `hyperliquid` or `binance`; by default the first of `venues`. Series of different venues are never mixed",
  ),
  address: optionalText("The stock by the address of a token that stands for it; underlying is then ignored"),
  ...windowParameters("hours", BASIS.most, "`days` before `to`"),
  ...detailParameters,
});

type Asking = Pick<Call<unknown, Readonly<Record<string, unknown>>, unknown>, "headers" | "query">;

/**
 * Names ignored and unreadable parameters: a client that asked for a window must not take another for it. An incomplete
 * answer must not be cached.
 */
async function replyTo<P>(
  call: Asking,
  {
    schema,
    place,
    most,
    malformed: others = [],
  }: { schema: z.ZodObject; place: z.ZodType<P>; most: number; malformed?: readonly string[] },
  answer: (window: Window<P> | undefined) => Promise<PublicAnswer>,
): Promise<Reply> {
  const { query, unknown } = knownIn(call.query, schema);
  const { window, malformed } = readWindow(query, place, most);
  const { finished, degraded, ...rest } = await answer(window);
  const cacheControl = degraded ? "no-store" : `public, max-age=${LIFETIME_SECONDS}`;
  const ignored = ignoredHeader([...malformed, ...others, ...unknown]);
  const { headers } = call;
  return replyOf({ ...rest, content: finished }, { headers, query }, cacheControl, ignored);
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
      responses: windowedResponses("Daily snapshots, oldest first, and live totals", OverviewAnswer),
      handle: (call) =>
        replyTo(call, { schema: OverviewQuery, place: DayPlace, most: DAYS_IN_PAGE }, (window) =>
          answers.overview({ days: call.query.days, window }),
        ),
    }),

    defineRoute({
      ...common,
      ...lenient("publicPremiumHistory"),
      path: "/api/premium/history",
      query: PremiumQuery,
      responses: windowedResponses("The hours", PublicPremiumAnswer),
      handle: (call) =>
        replyTo(call, { schema: PremiumQuery, place: HourPlace, most: PUBLIC_PREMIUM.most }, (window) => {
          const { symbol, chain, days } = call.query;
          return answers.publicPremium({ symbol, chain, address: addressOf(call.query) }, { days, window });
        }),
    }),

    defineRoute({
      ...common,
      ...lenient("basisHistory"),
      path: "/api/basis/history",
      query: BasisQuery,
      responses: windowedResponses("The hours", BasisAnswer),
      handle: (call) => {
        const { details, malformed } = readDetails(call.query);
        const reading = {
          schema: BasisQuery,
          place: HourPlace,
          most: mostWith(details, BASIS),
          malformed,
        };
        return replyTo(call, reading, (window) => {
          const { underlying: ticker, days, venue } = call.query;
          const stock = { ticker, address: addressOf(call.query) };
          return answers.basis(stock, { days, window, details }, venue);
        });
      },
    }),
  ];
}
