/** /api/v1: the trading calendar, corporate actions and revisions. */
import { z } from "zod";
import { CHAIN_NAMES } from "../../attestor/chains.ts";
import { ActionKind, ActionStatus, CalendarAnswer, CorporateActionsAnswer } from "../data/actionSchemas.ts";
import { type ActionDeps, actionsPage } from "../data/actions.ts";
import { LIFETIME_SECONDS } from "../data/answers.ts";
import { calendarAs } from "../data/calendar.ts";
import { format } from "../data/formats.ts";
import { moment, name, rows, someOf, words } from "../data/query.ts";
import { cachedResponses, listedResponses, withForms } from "../data/responses.ts";
import { RevisionsAnswer } from "../data/revisionSchemas.ts";
import { RevisionPlace, revisionsWritten } from "../data/revisions.ts";
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

const PAGE = 100;
const LARGEST_PAGE = 1_000;
const tokens = {
  symbol: name("Only of tokens with this symbol, as minted"),
  chain: z.enum(CHAIN_NAMES).optional().describe("Only of tokens on this chain"),
  address: name("Only of the token at this address, in any letter case on EVM chains"),
};
const rowsOfPage = (what: string) =>
  rows(LARGEST_PAGE)
    .default(PAGE)
    .meta({
      description: `${what} in a page`,
      override: { type: "integer", minimum: 1, maximum: LARGEST_PAGE, default: PAGE },
    });
const cursor = z
  .string()
  .max(200)
  .optional()
  .describe("Where the page begins: `next_cursor` of the page before");

const ActionsQuery = z.strictObject({
  ...tokens,
  underlying: name("Only of tokens of the stock with this ticker"),
  kind: someOf(ActionKind, `Only of these kinds, with commas between: ${words(ActionKind)}`),
  status: someOf(ActionStatus, `Only with these statuses, with commas between: ${words(ActionStatus)}`),
  from: moment("Only those whose `at` is then or later: a date or a date-time, UTC"),
  to: moment("Only those whose `at` is before then"),
  limit: rowsOfPage("Actions"),
  cursor,
  format,
});

const RevisionsQuery = z.strictObject({
  ...tokens,
  underlying: name("Only of tokens of the stock with this ticker, and of its perpetuals"),
  from: moment("Only what was written then or later: a date or a date-time, UTC"),
  to: moment("Only what was written before then"),
  limit: rowsOfPage("Revisions"),
  cursor,
  format,
});

export function actionRoutes(deps: ActionDeps): Route[] {
  const { attribution } = textsOf(deps.simulated);
  return [
    defineRoute({
      ...common,
      ...named("corporateActions"),
      path: "/api/v1/corporate-actions",
      query: ActionsQuery,
      responses: listedResponses("A page of actions", CorporateActionsAnswer),
      async handle(call) {
        const about = { attribution, now: secondsOf(deps) };
        const page = await deps.read((db) => actionsPage(db, deps.assets, about, call.query));
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
        const { cursor, ...query } = call.query;
        const { after } = windowOf({ cursor }, RevisionPlace, LARGEST_PAGE) ?? {};
        const about = { attribution, now: secondsOf(deps) };
        const page = await deps.read((db) => revisionsWritten(db, deps.assets, about, { ...query, after }));
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
        const days = calendarAs(call.query.format, attribution, call.query, secondsOf(deps));
        return replyOf(answerOf({ ...days, next: null }), call, CACHE_CONTROL);
      },
    }),
  ];
}

const secondsOf = ({ now }: ActionDeps) => Math.floor(now() / 1_000);
