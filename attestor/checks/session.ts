import * as z from "zod";
import { MarketSession } from "../values/market.ts";
import { defineCheck, judged, unavailable } from "./check.ts";
import { TEXT } from "./measure.ts";

/** The stock market is in a session that the policy allows. */
export const session = defineCheck({
  name: "session",
  bound: { allowedSessions: z.array(MarketSession).min(1) },
  measure: TEXT,
  words: {
    en: "Is the stock market in a session that the policy allows?",
    zh: "股市当前时段是否为策略所允许？",
  },
  judge: (policy, { session }) => {
    const allowed = policy.allowedSessions.join(", ");
    if (session === null) return unavailable(allowed, "The market session is not known.");
    return judged(
      policy.allowedSessions.includes(session.state),
      session.state,
      allowed,
      `The market session is ${session.state}; allowed: ${allowed}.`,
    );
  },
});
