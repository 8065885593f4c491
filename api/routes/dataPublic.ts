/** The data endpoints that anyone may ask. They know no errors of their parameters, and no outage. */
import { z } from "zod";
import { LIFETIME_SECONDS, type PublicAnswer } from "../data/answers.ts";
import { BASIS, PUBLIC_PREMIUM } from "../data/datasets.ts";
import { inputsParameter, readInputs } from "../data/inputs.ts";
import { MOST_DAYS } from "../data/overview.ts";
import { addressOf, days, echoed, optionalText, tokenParameters } from "../data/query.ts";
import { historyResponses } from "../data/responses.ts";
import { BasisAnswer, OverviewAnswer, PublicPremiumAnswer } from "../data/schemas.ts";
import {
  ignoredHeader,
  lengthOf,
  type RawWindow,
  readWindow,
  refuseLong,
  unknownIn,
  type Window,
  windowParameters,
} from "../data/windows.ts";
import { replyOf } from "../data/written.ts";
import type { Call, Reply } from "../http/route.ts";
import { route } from "../route.ts";
import type { Service } from "../service.ts";

/** Of the general limit per address: these answers are kept, and a page asks for several at once. */
const TIMES_ADDRESS_LIMIT = 15;

const common = {
  tags: ["Public data"],
  auth: "public",
  addressLimit: { bucket: "data", times: TIMES_ADDRESS_LIMIT },
  lenientQuery: true,
} as const;
const LENIENCE =
  "The answer is 200 for any parameters. The limit per address is shared by the public data endpoints; do not poll faster than the answers change.";

const OverviewQuery = z.looseObject({
  days: days(365, 90),
  ...windowParameters(`${MOST_DAYS} days`),
});
const PremiumQuery = z.looseObject({
  symbol: echoed("Token symbol as minted", true),
  days: days(30, 7),
  ...tokenParameters,
  ...windowParameters(`${PUBLIC_PREMIUM.mostHours} hours`),
});
const BasisQuery = z.looseObject({
  underlying: echoed("Ticker of the stock", true),
  days: days(30, 7),
  venue: optionalText(
    "Where the perpetual trades, such as `hyperliquid` or `binance`; by default the first of `venues`. Series of different venues are never mixed",
  ),
  address: optionalText("The stock by the address of a token that stands for it; underlying is then ignored"),
  ...windowParameters(`${BASIS.mostHours} hours`),
  inputs: inputsParameter(BASIS.mostHoursWithInputs),
});

const HOUR = 3_600;
const DAY = 86_400;

type Query = RawWindow & { readonly days: number };
type Asking = Pick<Call<unknown, Query, unknown>, "headers" | "query">;

/**
 * Names parameters that are ignored, since they cannot be read or begin too early: a client that asked for a window must
 * not take another for it. An incomplete answer must not be cached.
 * @param longest seconds of a window
 */
async function replyTo(
  call: Asking,
  {
    schema,
    longest,
    now,
    malformed: others = [],
  }: { schema: z.ZodObject; longest: number; now: number; malformed?: readonly string[] },
  answer: (window: Window | undefined) => Promise<PublicAnswer>,
): Promise<Reply> {
  const { query } = call;
  const { window, malformed } = readWindow(query);
  const isTooLong = window?.from !== undefined && lengthOf({ days: query.days, window }, now) > longest;
  const { degraded, ...found } = await answer(isTooLong ? { ...window, from: undefined } : window);
  const cacheControl = degraded ? "no-store" : `public, max-age=${LIFETIME_SECONDS}`;
  const ignored = [...malformed, ...(isTooLong ? ["from"] : []), ...others, ...unknownIn(query, schema)];
  return replyOf(found, call, cacheControl, ignoredHeader(ignored));
}

const secondsOf = ({ now }: Pick<Service, "now">) => Math.floor(now() / 1_000);

export const publicDataRoutes = [
  route({
    ...common,
    path: "/api/market-overview",
    operationId: "marketOverview",
    summary: "Market totals now and by day",
    description: `Volume and liquidity are one index's word on each pool, within bounds of measured depth and of the day before. Halted tokens are in no total. While the database is unavailable, \`series\` is empty and \`live\` null. ${LENIENCE}`,
    query: OverviewQuery,
    responses: historyResponses("Daily snapshots, oldest first, and live totals", OverviewAnswer),
    handle: (call, service) =>
      replyTo(call, { schema: OverviewQuery, longest: MOST_DAYS * DAY, now: secondsOf(service) }, (window) =>
        service.answers.overview({ days: call.query.days, window }),
      ),
  }),

  route({
    ...common,
    path: "/api/premium/history",
    operationId: "publicPremiumHistory",
    summary: "Hourly premium with extremes and net edge",
    description: `Oldest first. A premium rests on three levels: the token's price, its shares per token and the stock's price. Each is the median of the independent sources that agree; \`state\` says whether any do, and \`spread_bps\` how closely. \`points\` is empty when there are no data or the database is unavailable. ${LENIENCE}`,
    query: PremiumQuery,
    responses: historyResponses("The hours", PublicPremiumAnswer),
    handle: (call, service) =>
      replyTo(
        call,
        { schema: PremiumQuery, longest: PUBLIC_PREMIUM.mostHours * HOUR, now: secondsOf(service) },
        (window) => {
          const { symbol, chain, days } = call.query;
          const token = { symbol, chain, address: addressOf(call.query) };
          return service.answers.publicPremium(token, { days, window });
        },
      ),
  }),

  route({
    ...common,
    path: "/api/basis/history",
    operationId: "basisHistory",
    summary: "Hourly spot-perpetual basis with annualized funding",
    description: `Oldest first. A basis compares the venue's own mark, which the marks of other venues confirm, with the stock's price. That price is the median of the independent sources that agree; \`state\` says whether any do. Only the venue states funding; it must be within bounds of the premium and of the days before. \`points\` is empty when there is no perpetual or no data, or the database is unavailable. ${LENIENCE}`,
    query: BasisQuery,
    responses: historyResponses("The hours", BasisAnswer),
    errors: ["window_too_long", "window_too_old"],
    handle: async (call, service) => {
      const { underlying: ticker, days, venue } = call.query;
      const now = secondsOf(service);
      const inputs = readInputs(call.query.inputs);
      if (inputs) refuseLong({ days, window: readWindow(call.query).window }, BASIS.mostHoursWithInputs, now);
      const reading = {
        schema: BasisQuery,
        // With inputs it was refused above.
        longest: inputs ? Number.POSITIVE_INFINITY : BASIS.mostHours * HOUR,
        now,
        malformed: inputs === undefined ? ["inputs"] : [],
      };
      const stock = { ticker, address: addressOf(call.query) };
      const reply = () =>
        replyTo(call, reading, (window) =>
          service.answers.basis(stock, { days, window, inputs: inputs ?? false }, venue),
        );
      return inputs ? service.inputsLimits.within(call, reply) : reply();
    },
  }),
];
