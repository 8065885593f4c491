/** Premium of each token against its stock. */
import { type PremiumSample, recordPremiums } from "../series/premium.ts";
import { accepted } from "./accepted.ts";
import { NOTHING, type Step, seconds } from "./types.ts";

/** What trading platforms take of such a trade, basis points. */
export const PLATFORM_FEE_BPS = "10";

/** A figure of impact that is older says nothing of the price beside it. */
const IMPACT_COUNTS_SECONDS = 3_600;

export const collectPremiums: Step = async (round) => {
  if (!round.sources.pricesOf) return NOTHING;
  const references = await round.references();
  const prices = await accepted(round, "price", await round.sources.pricesOf(round.assets), (row) => ({
    subject: row.assetKey,
    source: row.source,
    price: row.tokenPriceUsd,
    at: row.at,
  }));
  const stocks = new Map(round.assets.map(({ assetKey, underlying }) => [assetKey, underlying]));
  const samples = prices.map((row): PremiumSample => {
    const reference = references.get(stocks.get(row.assetKey) ?? "");
    const impact = round.memory.impacts.get(row.assetKey);
    const counts = impact !== undefined && Math.abs(row.at - impact.at) <= IMPACT_COUNTS_SECONDS;
    return {
      assetKey: row.assetKey,
      sampledAt: row.at,
      source: row.source,
      session: round.sessionAt(row.at),
      tokenPriceUsd: row.tokenPriceUsd,
      sharesPerToken: row.sharesPerToken,
      referencePriceUsd: reference?.priceUsd ?? null,
      referenceSource: reference?.source ?? null,
      impact1kBps: counts ? impact.impact1kBps : null,
      platformFeeBps: round.platformFeeBps ?? PLATFORM_FEE_BPS,
    };
  });
  const { stored, rejected } = await recordPremiums(round.db, samples, seconds(round));
  round.countRejected(rejected.length);
  return stored;
};
