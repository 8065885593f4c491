/** Checks of when is traded: the session of the stock market, halts, and changes of the shares per token. */
import { sessionAt } from "../calendar.ts";
import type { ReferencePrice } from "../evidence/facts.ts";
import type { MarketSession } from "../values/market.ts";
import { CLOCK_SKEW_SECONDS, type UnixSeconds } from "../values/time.ts";
import { type Check, type Judged, judged, unavailable } from "./check.ts";

/** The stock market is in a session that the policy allows, and no signed price contradicts the calendar. */
export const session: Check = {
  name: "session",
  judge: (policy, { session, references, capturedAt }) => {
    const allowed = policy.allowedSessions.join(", ");
    if (session === null) return unavailable(allowed, "The market session is not known.");
    const other = references.find((reading) => contradicts(reading, session.state, capturedAt));
    if (other !== undefined)
      return judged(
        false,
        other.signer?.session ?? "",
        allowed,
        `The market session is ${session.state} by ${session.source}, and ${other.signer?.session} by a signed price of ${other.provider}.`,
      );
    return judged(
      policy.allowedSessions.includes(session.state),
      session.state,
      allowed,
      `The market session is ${session.state}; allowed: ${allowed}.`,
    );
  },
};

/** Whether who signed a price states another session of the judgement's time. */
function contradicts({ signer }: ReferencePrice, state: MarketSession, capturedAt: UnixSeconds): boolean {
  if (signer === null || signer.session === null || signer.session === state) return false;
  const present = sessionAt(capturedAt);
  // What was signed before the last change of session states the one of its own time.
  const isOfOther = [signer.signedAt - CLOCK_SKEW_SECONDS, signer.signedAt + CLOCK_SKEW_SECONDS]
    .map((at) => sessionAt(Math.max(0, at)))
    .some((then) => signer.session === then.state && then.opensAt !== present.opensAt);
  return !isOfOther;
}

/** Trading of the token is not halted: at least one source says so, none says otherwise, and every listed one answered. */
export const tradingHalt: Check = {
  name: "trading-halt",
  judge: (_policy, { token, trade, failures }) => {
    const silent = failures.filter(({ subject }) => subject === "halt").map(({ source }) => source);
    if (silent.length > 0)
      return unavailable(false, `Whether trading is halted is not known of ${silent.join(", ")}.`);
    if (token.halts.length === 0) return unavailable(false, "It is not known whether trading is halted.");
    const halting = token.halts.filter(({ halted }) => halted).map(({ provider }) => provider);
    const sources = (halting.length > 0 ? halting : token.halts.map(({ provider }) => provider)).join(", ");
    return judged(
      halting.length === 0,
      halting.length > 0,
      false,
      `Trading of ${trade.symbol} is ${halting.length > 0 ? "" : "not "}halted, by the word of ${sources}.`,
    );
  },
};

/**
 * No change of the shares per token falls into the certificate's life or comes near it. One trade must not mix units
 * and prices from before and after a change.
 */
export const corporateAction: Check = {
  name: "corporate-action",
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
};

function passing(observed: string, limit: number, message: string): Judged {
  return judged(true, observed, limit, message);
}
