/** How many shares a whole raw token stands for. One share would be a guess: what is not known is no row. */
import { sharesPerUnit, type TokenKind } from "../../attestor/shares.ts";
import type { Findings, ShareRatio } from "../collect/sources.ts";
import { BINANCE_RWA, RATIO_CHAIN } from "../providers/binanceRwa.ts";
import { JUPITER } from "../providers/jupiter.ts";
import { SOLANA } from "../providers/solana.ts";
import { canonicalAddress } from "../providers/values.ts";
import { XSTOCKS } from "../providers/xstocks.ts";
import type { MarketAsset } from "../queries.ts";
import { askedOf, type LiveAsset } from "./assets.ts";
import { gathered, ofEach } from "./findings.ts";
import type { LiveDeps, Upstreams } from "./upstreams.ts";

/** The listings' words for the kinds of tokens. */
const KINDS: Readonly<Record<LiveAsset["shares"], TokenKind>> = {
  rebasing: "rebasing",
  multiplier: "scaled",
  ratio: "price-bearing",
};

/** Why a token of a kind has no premium; null: it can have one. @param hasList whether Binance's list is asked */
export function whyUnpriced(
  { shares, chain }: Pick<LiveAsset, "shares" | "chain">,
  hasList: boolean,
): string | null {
  if (shares !== "ratio") return null;
  if (chain !== RATIO_CHAIN) return "no provider in use states their share ratio on Solana";
  return hasList ? null : `their share ratio needs ${BINANCE_RWA.setting}_KEY`;
}

export const canBePriced = (asset: LiveAsset, keys: LiveDeps["keys"]): boolean =>
  whyUnpriced(asset, Boolean(keys?.binanceRwa)) === null;

export async function ratiosOf(
  upstreams: Upstreams,
  wanted: readonly MarketAsset[],
): Promise<Findings<ShareRatio>> {
  const asked = askedOf(upstreams, wanted);
  const by = (shares: LiveAsset["shares"]) => asked.filter((asset) => asset.shares === shares);
  const [scaled, bearing] = [by("multiplier"), by("ratio").filter(({ chain }) => chain === RATIO_CHAIN)];
  const { chainRatio } = upstreams;
  return gathered<ShareRatio>([
    ["registry", async () => ({ rows: by("rebasing").flatMap((asset) => rowOf(asset, "registry", null)) })],
    ...(scaled.length === 0 ? [] : scaledParts(upstreams, scaled)),
    ...(bearing.length === 0 ? [] : listParts(upstreams, bearing)),
    // Of those that have a contract which says it.
    ...(chainRatio ? [["chain", () => ofEach(bearing, (one) => onChain(one, chainRatio))] as const] : []),
  ]);
}

const onChain = async (asset: LiveAsset, ratioOf: NonNullable<LiveDeps["chainRatio"]>) =>
  rowOf(asset, "chain", await ratioOf(asset.assetKey));

/** @param factor the issuer's; null where none is needed */
function rowOf(asset: LiveAsset, origin: string, factor: string | null, more: Partial<ShareRatio> = {}) {
  const sharesPerToken = sharesPerUnit(KINDS[asset.shares], "raw", factor);
  if (sharesPerToken === null) return [];
  const stated = { assetKey: asset.assetKey, source: origin, origin, publishedAt: null, sharesPerToken };
  const row: ShareRatio = { ...stated, ...(asset.shares === "rebasing" && { fixed: true }), ...more };
  return [row];
}

type Part = readonly [name: string, ask: () => Promise<Findings<ShareRatio>>];

/** By Jupiter's list, the issuer's API and the mints themselves. A rejected row of Jupiter is reported with its prices. */
function scaledParts(
  { jupiterPrices, mints, schedules, tell }: Upstreams,
  asked: readonly LiveAsset[],
): Part[] {
  const rowsBy = (origin: string, rows: readonly { mint: string; multiplier: string | null }[]) => {
    const byMint = new Map(rows.map(({ mint, multiplier }) => [mint, multiplier]));
    return asked.flatMap((asset) => rowOf(asset, origin, byMint.get(asset.address) ?? null));
  };
  return [
    [JUPITER.name, async () => ({ rows: rowsBy(JUPITER.name, (await jupiterPrices()).rows) })],
    [XSTOCKS.name, async () => ({ rows: rowsBy(XSTOCKS.name, schedules.multipliers()) })],
    [
      SOLANA.name,
      async () => {
        const batch = await mints();
        const keys = batch.rows.map(({ mint }) => mint);
        return { rows: rowsBy(SOLANA.name, batch.rows), rejected: tell("shares", SOLANA.name, batch, keys) };
      },
    ],
  ];
}

function listParts({ shareRatios, tell }: Upstreams, asked: readonly LiveAsset[]): Part[] {
  if (!shareRatios) return [];
  const list = async () => {
    const batch = await shareRatios();
    const byAddress = new Map(batch.rows.map((row) => [row.address, row]));
    return {
      rows: asked.flatMap((asset) => {
        const row = byAddress.get(canonicalAddress(RATIO_CHAIN, asset.address) ?? "");
        return row
          ? rowOf(asset, BINANCE_RWA.name, row.sharesPerToken, { fingerprint: row.fingerprint })
          : [];
      }),
      rejected: tell("shares", BINANCE_RWA.name, batch, [...byAddress.keys()]),
    };
  };
  return [[BINANCE_RWA.name, list]];
}
