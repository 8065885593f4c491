import * as z from "zod";
import { defineCheck, type Judged, judged, unavailable } from "./check.ts";

/**
 * No change of the shares per token falls into the certificate's life or comes near it: units and prices of before and
 * after a change must not meet in one trade.
 */
export const corporateAction = defineCheck({
  name: "corporate-action",
  bound: {
    corporateAction: {
      marginSeconds: z
        .int()
        .min(0)
        .describe("How long before and after a change no trade is allowed, seconds"),
      /** Whether a token of which nobody says what is announced is denied. */
      announcementNeeded: z.boolean(),
    },
  },
  measure: { unit: "s", bound: null },
  words: {
    en: "Is a change of the shares per token (a split, a dividend) announced for these minutes?",
    zh: "这几分钟内是否公告了每枚代币对应股数的变更（拆股、分红）？",
  },
  judge: (policy, { token, chain, capturedAt }) => {
    const { marginSeconds, announcementNeeded } = policy.corporateAction;
    // The certificate's last second counts, so the change may come the second after it at the earliest.
    const ahead = policy.certificateLifetimeSeconds + marginSeconds + 1;
    if (token.announcement === null)
      return announcementNeeded
        ? unavailable(ahead, "It is not known whether a change of the shares per token is announced.")
        : passing(
            "nobody says",
            ahead,
            "Nobody says what is announced for this token; this policy does not ask.",
          );
    const { change, provider } = token.announcement;
    if (change === null)
      return passing(
        "none",
        ahead,
        `No change of the shares per token is announced, by the word of ${provider}.`,
      );
    const distance = change.effectiveAt - capturedAt;
    // A factor that was read before the change holds before it alone, however little later the judgement is.
    const readAt = Math.min(chain.blockTimestamp, token.factor?.receivedAt ?? chain.blockTimestamp);
    const isAhead = change.effectiveAt > readAt;
    const when = distance >= 0 ? `takes effect in ${distance} s` : `took effect ${-distance} s ago`;
    return judged(
      isAhead ? distance >= ahead : distance < -marginSeconds,
      distance,
      ahead,
      `A change of the shares per token ${when}; none may be nearer than ${ahead} s ahead or ${marginSeconds} s past.`,
    );
  },
});

function passing(observed: string, limit: number, message: string): Judged {
  return judged(true, observed, limit, message);
}
