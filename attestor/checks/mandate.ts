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
      const message = `The mandate does not let the agent make this trade: ${refusal}.`;
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
});

/** Why the module would refuse the trade regardless of what was spent; null where it would not. */
function refusalOf(
  { chain, trade, intent, policy }: Evidence,
  { enabled, allowance }: NonNullable<Evidence["mandate"]>,
  granted: Mandate | null,
): string | null {
  if (!enabled) return "the Safe has not enabled the module";
  if (granted === null) return "there is none, or it was revoked";
  const { expiresAt, settlementToken, stocks, policies } = granted;
  if (chain.blockTimestamp > expiresAt) return `it expired at ${new Date(expiresAt * 1000).toISOString()}`;
  if (!policies.includes(policy.definitionHash))
    return `it does not name the policy ${policy.definitionHash}`;
  if (settlementToken !== addressOf(trade.settlementAssetKey))
    return `its settlement token is ${settlementToken}`;
  const stock = stocks.find(({ token }) => token === addressOf(trade.stockAssetKey));
  if (stock === undefined) return `it does not name the stock ${addressOf(trade.stockAssetKey)}`;
  if (trade.side === "sell" && BigInt(intent.amountInRaw) > BigInt(stock.sellable))
    return `it lets ${stock.sellable} raw units of the stock be sold, not ${intent.amountInRaw}`;
  if (allowance !== "0") return `the Safe's allowance to the guard is ${allowance} and has to be 0`;
  return null;
}
