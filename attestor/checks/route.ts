import { defineCheck, judged, unavailable } from "./check.ts";
import { TEXT } from "./measure.ts";

/** A route exists, and the guard would call it. */
export const route = defineCheck({
  name: "route",
  bound: {},
  measure: TEXT,
  words: {
    en: "Is the way that the trade takes on the guard's list?",
    zh: "交易所走的路径是否在守卫合约的名单上？",
  },
  judge: (_policy, { quote, guard }) => {
    if (quote === null) return unavailable(true, "No route trades this pair at this size.");
    return judged(
      guard.routeAllowed,
      guard.routeAllowed,
      true,
      `The route ${quote.routeName} (${quote.route}, ${quote.selector}) is ${guard.routeAllowed ? "" : "not "}on the guard's allowlist.`,
    );
  },
});
