/** Several questions to Pyth at one moment as one request: a trade asks for its stock and its dollar. */
import { ProviderFault } from "../providers/fault.ts";
import type { Pyth, PythFeed, PythPrice } from "../providers/pyth.ts";

type Prices = ReadonlyMap<string, PythPrice>;

/**
 * @returns asks for one feed's price, together with all others that are asked for in the same turn; null where Pyth has
 *   none of it
 */
export function askedTogether(pyth: Pick<Pyth, "latest">): (feed: PythFeed) => Promise<PythPrice | null> {
  let waiting: { feeds: PythFeed[]; answer: Promise<Prices> } | null = null;

  const ask = async (feeds: readonly PythFeed[]): Promise<Prices> =>
    new Map((await pyth.latest(feeds)).statements.map((price) => [price.feedId, price]));

  function open(): NonNullable<typeof waiting> {
    const feeds: PythFeed[] = [];
    const answer = Promise.resolve().then(() => {
      waiting = null;
      return ask(feeds);
    });
    return { feeds, answer };
  }

  return async (feed) => {
    waiting ??= open();
    const { feeds, answer } = waiting;
    feeds.push(feed);
    const prices = await answer.catch((error: unknown) => {
      // One feed that is not licensed costs a request with others theirs: each is then asked for alone.
      if (feeds.length === 1 || !isRefusal(error)) throw error;
      return ask([feed]);
    });
    return prices.get(feed.id) ?? null;
  };
}

function isRefusal(error: unknown): boolean {
  return error instanceof ProviderFault && error.code === "status" && (error.status ?? 500) < 500;
}
