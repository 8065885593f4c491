/** The data API's schemas of the calendar and of corporate actions. actionDescriptions.json describes each member. */
import { z } from "zod";
import { CHAIN_NAMES } from "../../attestor/chains.ts";
import { worded } from "../http/worded.ts";
import WORDS from "./actionDescriptions.json" with { type: "json" };
import { Attribution, DateTime } from "./members.ts";

const Day = z.string().meta({ format: "date" });

const Session = z.object(
  worded(WORDS.Session, {
    session: z.enum(["overnight", "pre-market", "regular", "post-market"]),
    opens_at: DateTime,
    closes_at: DateTime,
  }),
);

const CalendarDay = z
  .object(
    worded(WORDS.CalendarDay, {
      day: Day,
      kind: z.enum(["full", "half", "closed"]),
      name: z.string().nullable(),
      sessions: z.array(Session),
    }),
  )
  .meta({ id: "CalendarDay" });

export const CalendarAnswer = z
  .object({
    attribution: Attribution,
    ...worded(WORDS.Calendar, { from: Day, to: Day, source: z.string(), days: z.array(CalendarDay) }),
  })
  .meta({ id: "Calendar" });

export const ActionKind = z.enum(["split", "dividend", "multiplier", "migration"]);

const CorporateAction = z
  .object(
    worded(WORDS.CorporateAction, {
      id: z.int(),
      symbol: z.string().nullable(),
      chain: z.enum(CHAIN_NAMES).nullable(),
      address: z.string().nullable(),
      underlying: z.string().nullable(),
      asset_key: z.string(),
      kind: ActionKind,
      value_before: z.string().nullable(),
      value_after: z.string().nullable(),
      effective_at: DateTime.nullable(),
      announced_at: DateTime.nullable(),
      at: DateTime,
      source: z.string(),
      raw_hash: z
        .string()
        .regex(/^0x[0-9a-f]{64}$/)
        .nullable(),
    }),
  )
  .meta({ id: "CorporateAction" });

export const CorporateActionsAnswer = z
  .object({
    attribution: Attribution,
    ...worded(WORDS.CorporateActions, { actions: z.array(CorporateAction) }),
  })
  .meta({ id: "CorporateActions" });
