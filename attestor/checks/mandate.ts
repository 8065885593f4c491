/** The check of the mandate that an agent trades within: what its module would say to the trade. */
import { amountWords } from "../evidence/amounts.ts";
import type { Evidence } from "../evidence/evidence.ts";
import { leftFor, type Mandate } from "../mandates/mandate.ts";
import { addressOf } from "../values/primitives.ts";
import { defineCheck, judged, unavailable } from "./check.ts";
import { most } from "./measure.ts";

/** The mandate that the intent names lets the agent make this trade. */
export const mandate = defineCheck({
  name: "mandate",
  isOfSize: true,
  bound: {},
  measure: most("raw"),
  judge: (_policy, evidence) => {
    const { quote, trade, intent } = evidence;
    if (evidence.mandate === undefined)
      return {
        outcome: "pass",
        observed: "no mandate",
        limit: null,
        message: "The trade is made without a mandate.",
      };
    const { granted, spentWithinDay } = evidence.mandate;
    const settled = (raw: string) => amountWords(trade, trade.side === "buy" ? "input" : "output", raw);
    // What a sell earns beyond its minimum counts too.
    const counts = trade.side === "buy" ? intent.amountInRaw : (quote?.amountOutRaw ?? null);
    const refusal = refusalOf(evidence, evidence.mandate, granted);
    if (granted === null || refusal !== null) {
      const message = `The mandate does not let the agent make this trade: ${refusal?.why}.`;
      return counts === null ? unavailable(0, message) : judged(false, counts, 0, message);
    }
    const limit = leftFor(granted, spentWithinDay);
    if (counts === null) return unavailable(limit, "What the sell earns is not known: no route.");
    return judged(
      BigInt(counts) <= BigInt(limit),
      counts,
      limit,
      `The trade counts ${settled(counts)}; at most ${settled(limit)} allowed by the mandate: ${granted.perTrade} raw units a trade, ${granted.perDay} within 24 hours of which ${spentWithinDay} are spent, ${granted.budget} left in all.`,
    );
  },
  remedy: (_policy, evidence) => {
    const { mandate } = evidence;
    const refusal = mandate === undefined ? null : refusalOf(evidence, mandate, mandate.granted);
    return refusal === null ? {} : { message: refusal.remedy };
  },
});

interface Refusal {
  readonly why: string;
  readonly remedy: string;
}

const grantedAnew = (what: string) => `The owners of the Safe have to grant a mandate ${what}.`;

/** Why the module would refuse the trade regardless of what was spent; null where it would not. */
function refusalOf(
  { chain, trade, intent, policy }: Evidence,
  { enabled, allowance }: NonNullable<Evidence["mandate"]>,
  granted: Mandate | null,
): Refusal | null {
  if (!enabled)
    return {
      why: "the Safe has not enabled the module",
      remedy: "The owners of the Safe have to enable the module.",
    };
  if (granted === null)
    return { why: "there is none, or it was revoked", remedy: grantedAnew("to this agent") };
  const { expiresAt, settlementToken, stocks, policies } = granted;
  const { symbol, settlementSymbol } = trade;
  if (chain.blockTimestamp > expiresAt)
    return {
      why: `it expired at ${new Date(expiresAt * 1000).toISOString()}`,
      remedy: grantedAnew("that has not expired"),
    };
  if (!policies.includes(policy.definitionHash))
    return {
      why: `it does not name the policy ${policy.definitionHash}`,
      remedy: `Ask under a policy that the mandate names. ${grantedAnew("to trade under this one")}`,
    };
  if (settlementToken !== addressOf(trade.settlementAssetKey))
    return {
      why: `its settlement token is ${settlementToken}`,
      remedy: `Trade against that token. ${grantedAnew(`to trade against ${settlementSymbol}`)}`,
    };
  const stock = stocks.find(({ token }) => token === addressOf(trade.stockAssetKey));
  if (stock === undefined)
    return {
      why: `it does not name the stock ${addressOf(trade.stockAssetKey)}`,
      remedy: grantedAnew(`that names ${symbol}`),
    };
  if (trade.side === "sell" && BigInt(intent.amountInRaw) > BigInt(stock.sellable))
    return {
      why: `it lets ${stock.sellable} raw units of the stock be sold, not ${intent.amountInRaw}`,
      remedy: grantedAnew(`to sell more ${symbol}`),
    };
  if (allowance !== "0")
    return {
      why: `the Safe's allowance to the guard is ${allowance} and has to be 0`,
      remedy: "The owners of the Safe have to set its allowance to the guard to 0.",
    };
  return null;
}
