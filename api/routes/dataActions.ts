/** /api/v1: the trading calendar and corporate actions. */
import { z } from "zod";
import type { UnixMs } from "../../attestor/values/time.ts";
import { CalendarAnswer } from "../data/actionSchemas.ts";
import { LIFETIME_SECONDS } from "../data/answers.ts";
import { calendarText } from "../data/calendar.ts";
import { cachedResponses } from "../data/responses.ts";
import { textsOf } from "../data/texts.ts";
import { named } from "../docs/operations.ts";
import { finish } from "../http/cache.ts";
import { replyWith } from "../http/cacheReply.ts";
import { defineRoute, type Route } from "../http/route.ts";

const common = { tags: ["Data"], auth: "key", recentKeyWillDo: true } as const;
const CACHE_CONTROL = `private, max-age=${LIFETIME_SECONDS}`;

const CalendarQuery = z.strictObject({
  from: z.iso.date().optional().describe("First day in New York, inclusive; today by default"),
  to: z.iso
    .date()
    .optional()
    .describe("Last day, exclusive, at most five years after `from`; 365 days after it by default"),
});

export interface ActionDeps {
  readonly simulated: boolean;
  now(): UnixMs;
}

export function actionRoutes(deps: ActionDeps): Route[] {
  const { attribution } = textsOf(deps.simulated);
  return [
    defineRoute({
      ...common,
      ...named("calendar"),
      path: "/api/v1/calendar",
      query: CalendarQuery,
      responses: cachedResponses("The days", CalendarAnswer),
      async handle({ query, headers }) {
        const text = calendarText(attribution, query, Math.floor(deps.now() / 1_000));
        return replyWith(finish(text), headers, CACHE_CONTROL);
      },
    }),
  ];
}
