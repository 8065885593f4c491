import { type Check, judged, unavailable } from "./finding.ts";

/** The stock market is in a session that the policy allows. */
export const session: Check = (policy, { session }) => {
  const allowed = policy.allowedSessions.join(", ");
  if (session === null) return unavailable("session", allowed, "The market session is not known.");
  return judged(
    "session",
    policy.allowedSessions.includes(session.state),
    session.state,
    allowed,
    `The market session is ${session.state}; allowed: ${allowed}.`,
  );
};
