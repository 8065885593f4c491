import * as z from "zod";
import { sessionAt } from "../calendar.ts";
import { signedSessions } from "../publishers/publishers.ts";
import { MarketSession } from "../values/market.ts";
import { defineCheck, judged, unavailable } from "./check.ts";
import { TEXT } from "./measure.ts";

/** How far two honest clocks may be apart. */
const CLOCK_SKEW_SECONDS = 5;

/** The stock market is in a session that the policy allows, and no signed price contradicts the calendar. */
export const session = defineCheck({
  name: "session",
  bound: { allowedSessions: z.array(MarketSession).min(1) },
  measure: TEXT,
  words: {
    en: "Is the stock market in a session that the policy allows?",
    zh: "股市当前时段是否为策略所允许？",
  },
  judge: (policy, evidence, keys) => {
    const { session } = evidence;
    const allowed = policy.allowedSessions.join(", ");
    if (session === null) return unavailable(allowed, "The market session is not known.");
    const present = sessionAt(evidence.capturedAt);
    const other = signedSessions(evidence, keys).find(({ state, signedAt }) => {
      // A report of before the last change of session states the one of its own time.
      const isOfOther = [signedAt - CLOCK_SKEW_SECONDS, signedAt + CLOCK_SKEW_SECONDS]
        .map((at) => sessionAt(Math.max(0, at)))
        .some((then) => state === then.state && then.opensAt !== present.opensAt);
      return state !== session.state && !isOfOther;
    });
    if (other !== undefined)
      return judged(
        false,
        other.state,
        allowed,
        `The market session is ${session.state} by ${session.source}, and ${other.state} by a signed price of ${other.provider}.`,
      );
    return judged(
      policy.allowedSessions.includes(session.state),
      session.state,
      allowed,
      `The market session is ${session.state}; allowed: ${allowed}.`,
    );
  },
});
