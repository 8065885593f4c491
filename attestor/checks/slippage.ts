import { type Check, judged } from "./finding.ts";

/** The agent does not accept more slippage than the policy lets it. */
export const slippage: Check = (policy, { intent }) =>
  judged(
    "slippage",
    intent.maxSlippageBps <= policy.maxSlippageBps,
    intent.maxSlippageBps,
    policy.maxSlippageBps,
    `The intent accepts ${intent.maxSlippageBps} bps of slippage; at most ${policy.maxSlippageBps} allowed.`,
  );
