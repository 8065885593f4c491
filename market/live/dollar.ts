/** What the dollar token is worth that tokens on BNB chain are quoted in. */
import { ProviderDecimal } from "../providers/values.ts";
import { type Upstreams, USDT_MINT } from "./upstreams.ts";

/** A price outside of this is a slip of units, and no dollar. */
const [LEAST, MOST] = ["0.5", "1.5"];

/** US dollars per USDT, as Jupiter prices it; null where it does not: nobody has then said what a quote in it is worth. */
export async function dollarUsd({ jupiterPrices }: Pick<Upstreams, "jupiterPrices">): Promise<string | null> {
  const { rows } = await jupiterPrices().catch(() => ({ rows: [] }));
  const usd = rows.find(({ mint }) => mint === USDT_MINT)?.usdPrice;
  return usd === undefined || new ProviderDecimal(usd).lt(LEAST) || new ProviderDecimal(usd).gt(MOST)
    ? null
    : usd;
}
