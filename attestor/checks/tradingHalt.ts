import { defineCheck, judged, unavailable } from "./check.ts";
import { TEXT } from "./measure.ts";

/** Trading of the token is not halted: somebody says so, nobody says otherwise, and whoever is listed was heard. */
export const tradingHalt = defineCheck({
  name: "trading-halt",
  bound: {},
  measure: TEXT,
  words: {
    en: "Does anybody say that trading of the token is halted?",
    zh: "是否有人声明该代币暂停交易？",
  },
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
});
