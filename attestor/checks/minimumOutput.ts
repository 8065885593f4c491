import { defineCheck, judged, unavailable } from "./check.ts";

/** What is left after the slippage is more than nothing: the guard refuses a minimum of zero. */
export const minimumOutput = defineCheck({
  name: "minimum-output",
  bound: {},
  measure: { unit: "raw", bound: null },
  words: {
    en: "Is the least that the recipient gets more than nothing?",
    zh: "收款人至少得到的数量是否大于零？",
  },
  judge: (_policy, { figures }) => {
    const minimum = figures.minAmountOutRaw;
    if (minimum === null) return unavailable(1, "The least output is not known: no route.");
    return judged(
      minimum !== "0",
      minimum,
      1,
      `The recipient gets at least ${minimum} raw units; at least 1 is needed.`,
    );
  },
});
