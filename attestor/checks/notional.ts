import { UnsignedDecimal } from "../values/primitives.ts";
import { atMost, defineCheck, judged, unavailable } from "./check.ts";
import { most } from "./measure.ts";

/** The trade is not larger than the policy lets it be. */
export const notional = defineCheck({
  name: "notional",
  bound: {
    notionalCapUsd: UnsignedDecimal.describe("The greatest value of a trade, US dollars"),
  },
  measure: most("USD"),
  words: {
    en: "Is the trade no larger than the policy allows?",
    zh: "交易金额是否不超过策略上限？",
  },
  judge: (policy, { figures }) => {
    const limit = policy.notionalCapUsd;
    if (figures.notionalUsd === null)
      return unavailable(
        limit,
        "The trade's value is not known: no route, or no price of the settlement token.",
      );
    return judged(
      atMost(figures.notionalUsd, limit),
      figures.notionalUsd,
      limit,
      `The trade is worth ${figures.notionalUsd} USD; at most ${limit} allowed.`,
    );
  },
});
