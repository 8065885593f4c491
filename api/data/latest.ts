/** The newest values of all tokens, or of those that are asked for. */
import { z } from "zod";
import { CHAIN_NAMES } from "../../attestor/chains.ts";
import type { UnixSeconds } from "../../attestor/values/time.ts";
import type { MarketAsset } from "../../market/queries.ts";
import { type Newest, newestOfAll } from "../../market/series/latest.ts";
import { format, type Row } from "./formats.ts";
import { dateTime } from "./json.ts";
import { LatestImpacts, LatestPremium, LatestToken, LatestVolume } from "./latestSchemas.ts";
import { findByAddress } from "./listing.ts";
import { afterToken, type ListDeps, type TokenWindow, timeOf } from "./listTexts.ts";
import { cursor, moment, name, rows, someOf, words } from "./query.ts";
import { Grade, Issuer } from "./schemas.ts";
import { secondsOf } from "./seriesTexts.ts";
import { pageOf } from "./windows.ts";
import { listWritten, type Written } from "./written.ts";

/** Names that one question may have. */
const LONGEST_LIST = 4_000;

export const MOST_TOKENS = 1_000;

export const LatestParameters = z.strictObject({
  symbol: someOf(
    z.string().min(1).max(64),
    "Only tokens with these symbols, as minted, with commas between",
    LONGEST_LIST,
  ),
  chain: someOf(z.enum(CHAIN_NAMES), `Only on these chains: ${CHAIN_NAMES.join(", ")}`),
  issuer: someOf(Issuer, `Only of these issuers: ${words(Issuer)}`),
  grade: someOf(Grade, `Only with these liquidity grades: ${words(Grade)}`),
  underlying: someOf(
    z.string().min(1).max(16),
    "Only of the stocks with these tickers, with commas between",
    LONGEST_LIST,
  ),
  address: name("Only the token at this address, in any letter case on EVM chains"),
  q: name("Only tokens whose symbol, ticker or name has each of these words, in any letter case"),
  from: moment("Only those sampled then or later: a date or a date-time, UTC"),
  to: moment("Only those sampled before then"),
  limit: rows(MOST_TOKENS)
    .optional()
    .meta({
      description: "Tokens in a page; all by default",
      override: { type: "integer", minimum: 1, maximum: MOST_TOKENS },
    }),
  cursor,
  format,
});

type OfWindow = "from" | "to" | "limit" | "after";

/** Which tokens; what is absent leaves none out. */
export type LatestQuery = Omit<z.infer<typeof LatestParameters>, OfWindow | "cursor"> &
  Partial<Pick<TokenWindow, OfWindow>>;

const BPS = "basis points";
const USD = "US dollars";
const UNITS = {
  premium_bps: BPS,
  net_edge_bps: BPS,
  spread_bps: BPS,
  price_usd: "US dollars per whole token as it trades, 10 to the power of decimals raw units",
  price_per_share_usd: "US dollars per share of the stock, rounded to 12 decimals",
  reference_price_usd: "US dollars per share of the stock",
  shares_per_token: "shares per whole token",
  reference_age: "seconds, when it was sampled",
  age: "seconds, when this was made, as all ages but reference_age",
  impact_1k_bps: BPS,
  impact_10k_bps: BPS,
  volume_24h_usd: USD,
  liquidity_usd: USD,
};

interface Known {
  readonly asset: MarketAsset;
  readonly assetKey: string;
  /** undefined: nothing yet. */
  readonly newest: Newest | undefined;
}

/** @throws DatabaseUnavailable */
export async function latestWritten(
  deps: ListDeps,
  attribution: string,
  assets: readonly MarketAsset[],
  query: LatestQuery,
): Promise<Written> {
  const now = secondsOf(deps);
  const listed = query.address === undefined ? assets : findByAddress(assets, query.address);
  const chosen = (await known(deps, listed)).filter(isWanted(query));
  const { page, next } = pageOf(
    afterToken(chosen, assets, query.after),
    query.limit ?? chosen.length,
    ({ assetKey }) => assetKey,
  );
  const texts = tokenTexts(page, now, deps.unpricedReason);
  const window = { from: timeOf(query.from), to: timeOf(query.to) };
  const head = { attribution, generated_at: dateTime(now), count: page.length };
  const [first = "", ...more] = texts;
  const begin = `${JSON.stringify(head).slice(0, -1)},"tokens":[${first}`;
  return listWritten(
    query.format,
    { dataset: "latest", attribution, units: UNITS, window, now },
    Object.keys(LatestToken.shape),
    next,
    () => texts.map((text) => JSON.parse(text) as Row),
    () => inBytes([begin, ...more.map((one) => `,${one}`), `],"next_cursor":${JSON.stringify(next)}}`]),
  );
}

async function known({ db }: ListDeps, assets: readonly MarketAsset[]): Promise<Known[]> {
  const newest = await newestOfAll(db);
  return assets.map((asset) => ({
    asset,
    assetKey: asset.assetKey,
    newest: newest.get(asset.assetKey),
  }));
}

function isWanted(query: LatestQuery): (one: Known) => boolean {
  const { symbol, chain, issuer, grade, underlying, from, to } = query;
  const words = (query.q ?? "").toLowerCase().split(/\s+/);
  const among = (wanted: readonly string[] | undefined, own: string) => wanted?.includes(own) ?? true;
  return ({ asset, newest }) => {
    const at = newest?.sampledAt ?? null;
    return (
      among(symbol, asset.symbol) &&
      among(chain, asset.chain) &&
      among(issuer, asset.issuer) &&
      among(underlying, asset.underlying) &&
      (grade === undefined || grade.some((one) => one === newest?.grade)) &&
      (from === undefined || (at !== null && at >= from)) &&
      (to === undefined || (at !== null && at < to)) &&
      (query.q === undefined || words.every((word) => namesOf(asset).includes(word)))
    );
  };
}

/** Made once of a token: lists are small, and never change while a process runs. */
function once<T>(make: (asset: MarketAsset) => T): (asset: MarketAsset) => T {
  const made = new WeakMap<MarketAsset, T>();
  return (asset) => {
    const known = made.get(asset) ?? make(asset);
    made.set(asset, known);
    return known;
  };
}

const namesOf = once(({ symbol, underlying, nameEn, nameCn }) =>
  [symbol, underlying, nameEn, nameCn].join("\n").toLowerCase(),
);

/** What a token is, without the braces. */
const ownMembers = once(({ symbol, chain, issuer, address, assetKey: asset_key, underlying, ...asset }) => {
  const names = { name_en: asset.nameEn, name_cn: asset.nameCn };
  return inAscii(
    JSON.stringify({ symbol, chain, issuer, address, asset_key, underlying, ...names }).slice(1, -1),
  );
});

/** JSON whose other letters are escaped. One of them makes a long text twice as large, and three times as slow to send. */
function inAscii(json: string): string {
  const escaped = json.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  // Made anew, since what comes of a text with such letters stays as large as that.
  return Buffer.from(escaped, "latin1").toString("latin1");
}

/** Of a token of which there is none. */
const nothingOf = ({ shape }: z.ZodObject) =>
  JSON.stringify(Object.fromEntries(Object.keys(shape).map((name) => [name, null]))).slice(1, -1);
const NO_PREMIUM = nothingOf(LatestPremium);
const NO_IMPACTS = nothingOf(LatestImpacts);
const NO_VOLUME = nothingOf(LatestVolume);

/** Piece by piece: as one text first it would take three times as long. */
function inBytes(pieces: readonly string[]): Buffer {
  const bytes = Buffer.allocUnsafeSlow(pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0));
  let at = 0;
  for (const piece of pieces) at += bytes.write(piece, at);
  return bytes;
}

/** As the members of a list in JSON. */
function tokenTexts(
  page: readonly Known[],
  now: UnixSeconds,
  unpricedReason: ListDeps["unpricedReason"],
): string[] {
  const age = (seconds: UnixSeconds | null | undefined) =>
    seconds == null ? "null" : String(Math.max(0, now - seconds));
  return page.map(({ asset, newest }) => {
    const unpriced = unpricedReason?.(asset) ?? null;
    return (
      `{${ownMembers(asset)},"unpriced_reason":${unpriced === null ? "null" : JSON.stringify(unpriced)}` +
      `,${newest?.premium ?? NO_PREMIUM},"age":${age(newest?.sampledAt)}` +
      `,${newest?.impacts ?? NO_IMPACTS},"impact_age":${age(newest?.impactAt)}` +
      `,${newest?.volume ?? NO_VOLUME},"volume_age":${age(newest?.volumeAt)}}`
    );
  });
}
