import { type Check, judged, unavailable } from "./finding.ts";

/** Trading of the token is not halted: somebody says so, and nobody says otherwise. */
export const tradingHalt: Check = (_policy, { token, trade }) => {
  if (token.halts.length === 0)
    return unavailable("trading-halt", false, "It is not known whether trading is halted.");
  const halting = token.halts.filter(({ halted }) => halted).map(({ provider }) => provider);
  const sources = (halting.length > 0 ? halting : token.halts.map(({ provider }) => provider)).join(", ");
  return judged(
    "trading-halt",
    halting.length === 0,
    halting.length > 0,
    false,
    `Trading of ${trade.symbol} is ${halting.length > 0 ? "" : "not "}halted, by the word of ${sources}.`,
  );
};
