/** /api/v1: lists that refuse parameters which they do not know: newest values, actions, revisions, calendar. */
import { z } from "zod";
import { CalendarAnswer, CorporateActionsAnswer } from "../data/actionSchemas.ts";
import { ActionsQuery, actionsPage } from "../data/actions.ts";
import { type DataAnswers, type DataDeps, LIFETIME_SECONDS } from "../data/answers.ts";
import { calendarAs } from "../data/calendar.ts";
import { format } from "../data/formats.ts";
import { LatestParameters, MOST_TOKENS } from "../data/latest.ts";
import { LatestAnswer } from "../data/latestSchemas.ts";
import { TokenPlace } from "../data/listTexts.ts";
import { cachedResponses, listedResponses, withForms } from "../data/responses.ts";
import { RevisionsAnswer } from "../data/revisionSchemas.ts";
import { RevisionsQuery, revisionsWritten } from "../data/revisions.ts";
import { textsOf } from "../data/texts.ts";
import { windowOf } from "../data/windows.ts";
import { answerOf, replyOf } from "../data/written.ts";
import { named } from "../docs/operations.ts";
import { defineRoute, type Route } from "../http/route.ts";

const common = { tags: ["Data"], auth: "key", recentKeyWillDo: true } as const;
const CACHE_CONTROL = `private, max-age=${LIFETIME_SECONDS}`;

const CalendarQuery = z.strictObject({
  from: z.iso.date().optional().describe("First day in New York, inclusive; today by default"),
  to: z.iso
    .date()
    .optional()
    .describe("Last day, exclusive, at most five years after `from`; 365 days after it by default"),
  format,
});

type ListsDeps = Pick<DataDeps, "assets" | "read" | "now" | "simulated">;

export function listRoutes(answers: DataAnswers, { assets, read, now, simulated }: ListsDeps): Route[] {
  const { attribution } = textsOf(simulated);
  const about = () => ({ attribution, now: Math.floor(now() / 1_000) });
  return [
    defineRoute({
      ...common,
      ...named("latest"),
      path: "/api/v1/latest",
      query: LatestParameters,
      responses: listedResponses("The tokens", LatestAnswer),
      async handle(call) {
        const { from, to, limit, cursor, format, ...wanted } = call.query;
        const size = limit === undefined ? undefined : String(limit);
        const window = windowOf({ from, to, limit: size, cursor }, TokenPlace, MOST_TOKENS);
        const answer = await answers.latest({ ...wanted, ...window, format });
        return replyOf(answer, call, CACHE_CONTROL);
      },
    }),
    defineRoute({
      ...common,
      ...named("corporateActions"),
      path: "/api/v1/corporate-actions",
      query: ActionsQuery,
      responses: listedResponses("A page of actions", CorporateActionsAnswer),
      async handle(call) {
        const page = await read((db) => actionsPage(db, assets, about(), call.query));
        return replyOf(answerOf(page), call, CACHE_CONTROL);
      },
    }),
    defineRoute({
      ...common,
      ...named("revisions"),
      path: "/api/v1/revisions",
      query: RevisionsQuery,
      responses: listedResponses("A page of revisions", RevisionsAnswer),
      async handle(call) {
        const page = await read((db) => revisionsWritten(db, assets, about(), call.query));
        return replyOf(answerOf(page), call, CACHE_CONTROL);
      },
    }),
    defineRoute({
      ...common,
      ...named("calendar"),
      path: "/api/v1/calendar",
      query: CalendarQuery,
      responses: withForms(cachedResponses("The days", CalendarAnswer)),
      async handle(call) {
        const days = calendarAs(call.query.format, attribution, call.query, about().now);
        return replyOf(answerOf(days), call, CACHE_CONTROL);
      },
    }),
  ];
}
