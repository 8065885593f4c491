/** What the data API answers of the calendar and of corporate actions. What each member means stands in actionWords.json. */
import { z } from "zod";
import { worded } from "../http/worded.ts";
import WORDS from "./actionWords.json" with { type: "json" };

const DateTime = z.string().meta({ format: "date-time" });
const Day = z.string().meta({ format: "date" });
const Attribution = z.string().describe("Constant: where the data come from and how to use them");

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
