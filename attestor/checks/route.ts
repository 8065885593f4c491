import { type Check, judged, unavailable } from "./finding.ts";

/** A route exists, and the guard would call it. */
export const route: Check = (_policy, { quote, guard }) => {
  if (quote === null) return unavailable("route", true, "No route trades this pair at this size.");
  return judged(
    "route",
    guard.routeAllowed,
    guard.routeAllowed,
    true,
    `The route ${quote.routeName} (${quote.route}, ${quote.selector}) is ${guard.routeAllowed ? "" : "not "}on the guard's allowlist.`,
  );
};
