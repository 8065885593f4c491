/** /api/v1: lists that refuse parameters which they do not know: newest values, actions, calendar. */
import { z } from "zod";
import { CalendarAnswer, CorporateActionsAnswer } from "../data/actionSchemas.ts";
import { ActionsQuery, actionsText } from "../data/actions.ts";
import { LIFETIME_SECONDS } from "../data/answers.ts";
import { calendarText } from "../data/calendar.ts";
import { LatestQuery } from "../data/latest.ts";
import { LatestAnswer } from "../data/latestSchemas.ts";
import { cachedResponses } from "../data/responses.ts";
import { textsOf } from "../data/texts.ts";
import { answerOf, replyOf } from "../data/written.ts";
import { nextTurn } from "../http/turns.ts";
import { route } from "../route.ts";

const common = { tags: ["Data"], auth: "key", recentKeyWillDo: true } as const;
const CACHE_CONTROL = `private, max-age=${LIFETIME_SECONDS}`;

const day = z.iso.date("must be a date such as 2026-11-25");
const CalendarQuery = z.strictObject({
  from: day.optional().describe("First day in New York, inclusive; today by default"),
  to: day
    .optional()
    .describe(
      "Last day, exclusive, at most five years after `from`; 365 days after it by default, or the end of the calendar",
    ),
});

export const listRoutes = [
  route({
    ...common,
    path: "/api/v1/latest",
    operationId: "latest",
    summary: "The newest values of all tokens in one call",
    description:
      "Premium with its state and spread, the prices and shares that it follows from, grade, impacts, volume and liquidity, each with its time and age. Prices, shares and dollars are decimal text, basis points numbers. docs/data.md says more.",
    query: LatestQuery,
    responses: cachedResponses("The tokens", LatestAnswer),
    handle: async (call, { answers }) => replyOf(await answers.latest(call.query), call, CACHE_CONTROL),
  }),

  route({
    ...common,
    path: "/api/v1/corporate-actions",
    operationId: "corporateActions",
    summary: "Splits, dividends and migrations that are announced of the listed tokens",
    description:
      "What each source announces of a token's shares and address, oldest first. A dividend is a step of a token's multiplier. Sources of one change have a row each; a source that says no reason has the kind `multiplier`. Halts are on points.",
    query: ActionsQuery,
    responses: cachedResponses("The actions", CorporateActionsAnswer),
    async handle(call, { db, assets, simulated }) {
      await nextTurn();
      const text = await actionsText(db, assets, textsOf(simulated).attribution, call.query);
      return replyOf(answerOf({ text }), call, CACHE_CONTROL);
    },
  }),

  route({
    ...common,
    path: "/api/v1/calendar",
    operationId: "calendar",
    summary: "Trading days of the US stock market: sessions, holidays, half-days",
    description:
      "By the exchange's published rules and its unscheduled closures so far: nobody can foresee the next. A simulated market never closes; the calendar is the exchange's there too.",
    query: CalendarQuery,
    responses: cachedResponses("The days", CalendarAnswer),
    async handle(call, { now, simulated }) {
      await nextTurn();
      const text = calendarText(textsOf(simulated).attribution, call.query, Math.floor(now() / 1_000));
      return replyOf(answerOf({ text }), call, CACHE_CONTROL);
    },
  }),
];
