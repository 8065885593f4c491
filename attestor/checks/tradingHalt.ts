import { type Check, judged, unavailable } from "./finding.ts";

/** Trading of the token is not halted. */
export const tradingHalt: Check = (_policy, { token, trade }) => {
  if (token === null) return unavailable("trading-halt", false, "It is not known whether trading is halted.");
  return judged(
    "trading-halt",
    !token.halted,
    token.halted,
    false,
    `Trading of ${trade.symbol} is ${token.halted ? "" : "not "}halted.`,
  );
};
