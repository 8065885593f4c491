/** `/tokens/<chain>/<address>`: one token over time. */
import { z } from "zod";
import { CHAIN_NAMES } from "../../attestor/chains.ts";
import { isDatabaseUnavailable } from "../../database/errors.ts";
import type { MarketAsset } from "../../market/queries.ts";
import type { DataDeps } from "../data/answers.ts";
import { findByAddress } from "../data/listing.ts";
import { daysOf } from "../data/query.ts";
import { withinTime } from "../http/deadline.ts";
import { Problem } from "../http/problems.ts";
import { html } from "./html.ts";
import { filled, type Reader } from "./language.ts";
import type { Page, PageContent } from "./page.ts";
import { readTokenSeries } from "./tokenSeries.ts";
import { tokenHead, tokenPart } from "./tokenView.ts";
import TOKEN_WORDS from "./words/token.json" with { type: "json" };

const TokenParams = z.object({ chain: z.enum(CHAIN_NAMES), address: z.string().max(64) });
type TokenParams = z.infer<typeof TokenParams>;

const DAYS = { most: 30, byDefault: 7 };
/** How long the page waits for the database, as the public endpoints do. */
const PATIENCE_MS = 1_000;

/** Any value is accepted. */
const TokenQuery = z.object({ days: z.unknown().optional() });
type TokenQuery = z.infer<typeof TokenQuery>;

export function tokenPage(data: DataDeps): Page<TokenParams, TokenQuery> {
  const daysIn = ({ days }: TokenQuery) => daysOf(days, DAYS.most, DAYS.byDefault);
  return {
    path: "/tokens/:chain/:address",
    name: "token",
    params: TokenParams,
    query: (query) => TokenQuery.parse(query),
    key: ({ params, query }) => `${params.chain} ${params.address} ${daysIn(query)}`,
    async content({ params, query, reader }) {
      const asset = assetOf(data, params);
      const days = daysIn(query);
      if (asset.address !== params.address)
        return { title: asset.symbol, main: html``, redirect: `${pathOf(asset)}?days=${days}` };
      const series = await unlessDown(
        readTokenSeries(data.db, { asset, days }, Math.floor(data.now() / 1_000)),
      );
      return pageOf(data, reader, asset, days, series);
    },
  };
}

const pathOf = ({ chain, address }: Pick<MarketAsset, "chain" | "address">): string =>
  `/tokens/${chain}/${address}`;

function assetOf({ assets }: DataDeps, { chain, address }: TokenParams): MarketAsset {
  const asset = findByAddress(assets, address).find((found) => found.chain === chain);
  if (asset === undefined)
    throw new Problem("not_found", "no token with this address is listed on this chain");
  return asset;
}

type Series = Awaited<ReturnType<typeof readTokenSeries>>;

async function unlessDown(reading: Promise<Series>): Promise<Series | null> {
  const whole = reading.catch((error: unknown) => {
    if (!isDatabaseUnavailable(error)) throw error;
    return null;
  });
  return withinTime(whole, PATIENCE_MS, () => null);
}

function pageOf(
  data: DataDeps,
  reader: Reader,
  asset: MarketAsset,
  days: number,
  series: Series | null,
): PageContent {
  const words = TOKEN_WORDS[reader.language];
  const name = reader.language === "zh" ? asset.nameCn : asset.nameEn;
  return {
    title: `${asset.symbol}, ${name}`,
    description: filled(words.description, { symbol: asset.symbol }),
    main: html`${tokenHead(asset, reader, data.unpricedReason?.(asset) ?? null)}
${tokenPart({ asset, reader, series })}`,
    islands: ["token"],
    source: `/api/premium/history?address=${asset.address}&days=${days}`,
    ...(series === null ? { degraded: true } : {}),
  };
}
