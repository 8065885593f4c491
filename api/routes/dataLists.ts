/** /api/v1: lists that refuse parameters which they do not know: newest values, actions, calendar. */
import { z } from "zod";
import { CalendarAnswer, CorporateActionsAnswer } from "../data/actionSchemas.ts";
import { ActionsQuery, actionsText } from "../data/actions.ts";
import { type DataAnswers, type DataDeps, LIFETIME_SECONDS } from "../data/answers.ts";
import { calendarText } from "../data/calendar.ts";
import { LatestQuery } from "../data/latest.ts";
import { LatestAnswer } from "../data/latestSchemas.ts";
import { cachedResponses } from "../data/responses.ts";
import { textsOf } from "../data/texts.ts";
import { answerOf, replyOf } from "../data/written.ts";
import { named } from "../docs/operations.ts";
import { defineRoute, type Route } from "../http/route.ts";
import { nextTurn } from "../http/turns.ts";

const common = { tags: ["Data"], auth: "key", recentKeyWillDo: true } as const;
const CACHE_CONTROL = `private, max-age=${LIFETIME_SECONDS}`;

const CalendarQuery = z.strictObject({
  from: z.iso.date().optional().describe("First day in New York, inclusive; today by default"),
  to: z.iso
    .date()
    .optional()
    .describe("Last day, exclusive, at most five years after `from`; 365 days after it by default"),
});

type ListsDeps = Pick<DataDeps, "assets" | "db" | "now" | "simulated">;

export function listRoutes(answers: DataAnswers, { assets, db, now, simulated }: ListsDeps): Route[] {
  const { attribution } = textsOf(simulated);
  return [
    defineRoute({
      ...common,
      ...named("latest"),
      path: "/api/v1/latest",
      query: LatestQuery,
      responses: cachedResponses("The tokens", LatestAnswer),
      handle: async (call) => replyOf(await answers.latest(call.query), call, CACHE_CONTROL),
    }),
    defineRoute({
      ...common,
      ...named("corporateActions"),
      path: "/api/v1/corporate-actions",
      query: ActionsQuery,
      responses: cachedResponses("The actions", CorporateActionsAnswer),
      async handle(call) {
        await nextTurn();
        const text = await actionsText(db, assets, attribution, call.query);
        return replyOf(answerOf({ text }), call, CACHE_CONTROL);
      },
    }),
    defineRoute({
      ...common,
      ...named("calendar"),
      path: "/api/v1/calendar",
      query: CalendarQuery,
      responses: cachedResponses("The days", CalendarAnswer),
      async handle(call) {
        await nextTurn();
        const text = calendarText(attribution, call.query, Math.floor(now() / 1_000));
        return replyOf(answerOf({ text }), call, CACHE_CONTROL);
      },
    }),
  ];
}
