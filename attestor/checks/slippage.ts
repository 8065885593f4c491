import { bpsBound, defineCheck, judged } from "./check.ts";
import { most } from "./measure.ts";

/** The agent does not accept more slippage than the policy lets it. */
export const slippage = defineCheck({
  name: "slippage",
  bound: {
    maxSlippageBps: bpsBound.describe("The greatest slippage that an intent may accept, basis points"),
  },
  measure: most("bps"),
  words: {
    en: "Does the trade accept no more slippage than the policy allows?",
    zh: "交易接受的滑点是否不超过策略上限？",
  },
  judge: (policy, { intent }) =>
    judged(
      intent.maxSlippageBps <= policy.maxSlippageBps,
      intent.maxSlippageBps,
      policy.maxSlippageBps,
      `The intent accepts ${intent.maxSlippageBps} bps of slippage; at most ${policy.maxSlippageBps} allowed.`,
    ),
});
