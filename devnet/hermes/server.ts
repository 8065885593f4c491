/**
 * The local world's Hermes: answers like Pyth's own service, with the prices of the chain's feeds, signed by the local
 * test keys. The service calls it through the same code as the real one.
 */
import type { PriceSource } from "../../attestor/sources.ts";
import type { Deployment } from "../../chain/deployment.ts";
import type { GetHandler } from "../chain/front.ts";
import type { LocalNode } from "../chain/node.ts";
import { type Clock, unixSeconds } from "../clock.ts";
import { PYTH } from "../references.ts";
import { view } from "../sender.ts";
import { type PublishedPrice, signedUpdate } from "./update.ts";

const PATH = "/v2/updates/price/latest";

type PythFeed = Extract<PriceSource, { provider: "pyth" }>;

/** @returns answers with JSON, or with text as Hermes answers its errors; null for what Hermes has not */
export function createLocalHermes(
  node: Pick<LocalNode, "request">,
  { registry }: Deployment,
  clock: Clock,
): GetHandler {
  const feeds = new Map(
    registry.assets
      .flatMap(({ priceSources }) => priceSources)
      .flatMap((feed) => (feed.provider === "pyth" ? [[feed.feedId, feed] as const] : [])),
  );

  return async ({ pathname, searchParams }) => {
    if (pathname !== PATH) return null;
    const ids = searchParams.getAll("ids[]").map(withPrefix);
    const wantedFeeds = ids.flatMap((id) => feeds.get(id) ?? []);
    const unknown = ids.filter((id) => !feeds.has(id));
    if (unknown.length > 0 && searchParams.get("ignore_invalid_price_ids") !== "true")
      return { status: 404, body: `Price ids not found: ${unknown.join(", ")}` };
    const base64 = searchParams.get("encoding") === "base64";
    const now = unixSeconds(clock);
    const prices = await Promise.all(wantedFeeds.map((feed) => priceOf(node, feed)));
    const body = answerWith(
      prices.map((price) => published(price, now)),
      now,
      base64 ? "base64" : "hex",
    );
    return { status: 200, body };
  };
}

/** A feed that has stood still for longer is one that nobody publishes any more. */
const LIVE_SECONDS = 60;

/** Pyth publishes a price several times a second, whether it has moved or not: the chain has each that was pushed. */
const published = (price: PublishedPrice, now: number): PublishedPrice =>
  now - price.publishedAt > LIVE_SECONDS
    ? price
    : { ...price, publishedAt: Math.max(now, price.publishedAt) };

function answerWith(prices: readonly PublishedPrice[], at: number, encoding: "hex" | "base64") {
  const update = prices.length === 0 ? [] : [Buffer.from(signedUpdate(prices, at)).toString(encoding)];
  return {
    binary: { encoding, data: update },
    parsed: prices.map(({ feedId, price, confidence, exponent, publishedAt }) => {
      const [text, conf] = [price.toString(), confidence.toString()];
      const priceFields = { price: text, conf, expo: exponent, publish_time: publishedAt };
      return { id: feedId.slice(2), price: priceFields, ema_price: priceFields };
    }),
  };
}

/** What the feed says at the newest block. */
async function priceOf(
  node: Pick<LocalNode, "request">,
  { address, feedId }: PythFeed,
): Promise<PublishedPrice> {
  const [answer] = await view(node, address, PYTH.abi, "getPriceUnsafe", [feedId]);
  const { price, conf: confidence, expo, publishTime } = answer;
  return { feedId, price, confidence, exponent: Number(expo), publishedAt: Number(publishTime) };
}

function withPrefix(id: string): string {
  return `0x${id.toLowerCase().replace(/^0x/, "")}`;
}
