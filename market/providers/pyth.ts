/** Pyth, by its service Hermes: the first reference of stock prices, with confidence, publish time and its signers' signatures. */
import { z } from "zod";
import type { PriceProof } from "../../attestor/evidence/facts.ts";
import { priceProofOf } from "../../attestor/publishers/pyth/pyth.ts";
import { chunksOf } from "../series/hours.ts";
import type { Answer, DollarPrice, ListSource, Rejected, StockPrice } from "../statement.ts";
import { ProviderFault } from "./fault.ts";
import type { Http } from "./http.ts";
import { type Listed, MINUTE_MS, provider, SECOND_MS } from "./provider.ts";
import { newestOf, readable, readRows, whyOf } from "./rows.ts";
import { timedMemo } from "./timedMemo.ts";
import { NOT_POSITIVE, ProviderDecimal, UnixSeconds } from "./values.ts";

const NAME = "pyth";
const FEEDS_PER_REQUEST = 50;

/** A feed by its id, 64 hexadecimal digits, and the ticker that it is the price of. */
export interface PythFeed {
  readonly id: string;
  readonly symbol: string;
}

/** A price with what Pyth's routers signed of it, not checked here; null where the answer held nothing of use. */
export interface PythPrice extends StockPrice {
  /** 0x and 64 lower-case digits. */
  readonly feedId: string;
  readonly proof: PriceProof | null;
}

/** `Crypto.USDT/USD` in the catalog, <hermes>/v2/price_feeds?query=USDT. */
export const USDT_FEED: PythFeed = {
  id: "2b89b9dc8fdf9f34709a5b106b472f0f39bb6ca9ce04b0fd7f2e971688e2e53b",
  symbol: "USDT",
};
const DOLLAR_MS = 60_000;
/** Until an unknown stock is looked for in the catalog again. */
const CATALOGUE_MS = 86_400_000;

export type Pyth = ReturnType<typeof open>;

const Integer = z
  .union([z.string(), z.int().transform(String)])
  .pipe(z.string().regex(/^-?\d{1,40}$/, { abort: true }));
/** What is signed is read leniently: a price without it is still a price. */
const Binary = z.looseObject({ encoding: z.enum(["hex", "base64"]), data: z.array(z.string()).max(64) });
const Updates = z.looseObject({ binary: z.unknown().optional(), parsed: z.array(z.unknown()) });
const Id = z
  .string()
  .regex(/^(0x)?[0-9a-fA-F]{64}$/)
  .transform(plainId);
const Identified = z.looseObject({ id: Id });
const Price = z.looseObject({
  price: z.looseObject({
    price: Integer.refine((text) => BigInt(text) > 0n, NOT_POSITIVE),
    conf: Integer.refine((text) => BigInt(text) >= 0n),
    expo: z.int().min(-18).max(18),
    publish_time: UnixSeconds,
  }),
});

const Entry = z.looseObject({
  id: Id,
  attributes: z.looseObject({ base: z.string().max(32), symbol: z.string().max(64) }),
});

const open = (http: Http) => ({
  /**
   * The latest price of each feed: of several rows the newest counts. Outside the stock's hours it is an old one: look at
   * `publishedAt`. A feed that is unknown or not licensed to the key is `missing` in `rejected`, or a fault with status
   * 401, 403 or 404 where Pyth refuses the whole request.
   * @throws ProviderFault
   */
  async latest(feeds: readonly PythFeed[]): Promise<Answer<PythPrice>> {
    const statements: PythPrice[] = [];
    const rejected: Rejected[] = [];
    for (const chunk of chunksOf(feeds, FEEDS_PER_REQUEST)) {
      const answer = await http.getJson(`/v2/updates/price/latest?${latestQuery(chunk)}`, Updates);
      const byId = newestOf(
        answer.data.parsed,
        (row) => Identified.safeParse(row).data?.id,
        (row) => Price.safeParse(row).data?.price.publish_time,
      );
      const updates = updatesIn(answer.data.binary);
      const { rawHash } = answer;
      if (answer.data.parsed.length > 0 && !chunk.some(({ id }) => byId.has(plainId(id))))
        throw new ProviderFault(NAME, "shape", { field: "parsed.[].id", rawHash });
      for (const feed of chunk) {
        const price = priceIn(byId.get(plainId(feed.id)), feed, updates, rawHash);
        if ("reason" in price) rejected.push(price);
        else statements.push(price);
      }
    }
    return { statements, rejected };
  },

  /**
   * US stocks against the dollar, or those whose name matches; needs no key. Feeds of a single session (`.PRE`,
   * `.POST`, `.ON`) are left out.
   * @throws ProviderFault
   */
  async catalogue(query?: string): Promise<readonly PythFeed[]> {
    const asked = new URLSearchParams({ ...(query !== undefined && { query }), asset_type: "equity" });
    const { data } = await http.getJson(`/v2/price_feeds?${asked}`, z.array(z.unknown()));
    const { rows } = readRows("reference", data, Entry, (index) => `feed ${index}`);
    return rows
      .filter(({ attributes }) => attributes.symbol === `Equity.US.${attributes.base}/USD`)
      .map(({ id, attributes }) => ({ id, symbol: attributes.base }));
  },

  /** The ids of all feeds whose name matches, each 0x and 64 hexadecimal digits; needs no key. @throws ProviderFault */
  async feedIds(query: string): Promise<ReadonlySet<string>> {
    const asked = new URLSearchParams({ query });
    const { data } = await http.getJson(`/v2/price_feeds?${asked}`, z.array(z.unknown()));
    const { rows } = readRows("reference", data, Identified, (index) => `feed ${index}`);
    return new Set(rows.map(({ id }) => `0x${id}`));
  },
});

export const PYTH = provider({
  name: NAME,
  setting: "PYTH_HERMES",
  baseUrl: "https://pyth.dourolabs.app/hermes",
  rate: { requests: 30, perMs: 10 * SECOND_MS, lockoutMs: MINUTE_MS, collectors: 0.3 },
  // Prices are refused without one since August 2026.
  key: {
    required: true,
    lack: "stocks have only references of unknown or unofficial origin: Jupiter, Hyperliquid, Binance",
  },
  keyHeaders: (key) => ({ authorization: `Bearer ${key}` }),
  open,
  sources: (pyth, listed) => [stockPrices(pyth, listed), dollarPrice(pyth)],
  async tryOut(pyth) {
    const feeds = await pyth.catalogue("AAPL");
    const { statements } = await pyth.latest(feeds.slice(0, 1));
    // A key without a license for stocks gets no price.
    if (statements.length === 0) throw new ProviderFault(NAME, "status", { status: 403 });
  },
});

/** Of the stocks that tokens stand for, as far as the catalog has them. */
function stockPrices(pyth: Pyth, { tokens, now }: Listed): ListSource {
  const catalogue = timedMemo<ReadonlyMap<string, PythFeed>>(CATALOGUE_MS, now);
  const underlyings = [...new Set(tokens.map(({ underlying }) => underlying))];
  const byTicker = async () => new Map((await pyth.catalogue()).map((feed) => [feed.symbol, feed]));
  return {
    asks: "list",
    name: NAME,
    of: ["reference"],
    keepsMs: 0,
    async ask() {
      const feeds = await catalogue("all", byTicker);
      const wantedFeeds = underlyings.flatMap((underlying) => feeds.get(underlying) ?? []);
      const answer = await pyth.latest(wantedFeeds);
      // Unreadable rows are reported one by one.
      const isSilent = wantedFeeds.length > 0 && answer.rejected.every(({ reason }) => reason === "missing");
      return isSilent ? readable(NAME, answer) : answer;
    },
  };
}

const dollarPrice = (pyth: Pyth): ListSource => ({
  asks: "list",
  name: NAME,
  of: ["dollar"],
  keepsMs: DOLLAR_MS,
  async ask() {
    const { statements, rejected } = await pyth.latest([USDT_FEED]);
    const dollars = statements.map(({ subject, source, origin, figure, at, rawHash }): DollarPrice => {
      return { of: "dollar", subject, source, origin, figure, at, rawHash };
    });
    return { statements: dollars, rejected: rejected.map((row) => ({ ...row, of: "dollar" })) };
  },
});

function latestQuery(feeds: readonly PythFeed[]): URLSearchParams {
  const query = new URLSearchParams();
  for (const feed of feeds) query.append("ids[]", plainId(feed.id));
  // Without it one retired feed would cost the prices of all others.
  query.set("ignore_invalid_price_ids", "true");
  query.set("parsed", "true");
  query.set("encoding", "hex");
  return query;
}

/** @param row what the answer holds of the feed; undefined: nothing */
function priceIn(
  row: unknown,
  { id, symbol }: PythFeed,
  updates: readonly Uint8Array[],
  rawHash: string,
): PythPrice | Rejected {
  const parsed = Price.safeParse(row);
  if (!parsed.success) return { of: "reference", subject: symbol, ...whyOf(parsed.error, row === undefined) };
  const { price, conf, expo, publish_time } = parsed.data.price;
  const feedId = `0x${plainId(id)}`;
  return {
    of: "reference",
    subject: symbol,
    source: NAME,
    origin: NAME,
    figure: scaled(price, expo),
    at: publish_time,
    rawHash,
    confidence: scaled(conf, expo),
    feedId,
    proof: proofIn(updates, feedId),
  };
}

/** The signed updates of an answer; none where they are not told or not readable. */
function updatesIn(binary: unknown): Uint8Array[] {
  const { data } = Binary.safeParse(binary);
  return (data?.data ?? []).map((text) => Buffer.from(text, data?.encoding));
}

/** What is signed of that feed's price alone. */
function proofIn(updates: readonly Uint8Array[], feedId: string): PriceProof | null {
  for (const update of updates)
    try {
      const proof = priceProofOf(update, feedId);
      if (proof !== null) return proof;
    } catch {
      // No update of Pyth's: the price is then as good as Hermes' word.
    }
  return null;
}

/** `mantissa * 10^exponent`, exact: `("33223750", -5)` is `"332.2375"`. */
function scaled(mantissa: string, exponent: number): string {
  return new ProviderDecimal(`${mantissa}e${exponent}`).toFixed();
}

function plainId(id: string): string {
  return id.toLowerCase().replace(/^0x/, "");
}
