/** What a token costs more than its stock, of all that is stated of both. Pure. */
import type { UnixSeconds } from "../../attestor/values/time.ts";
import { worstOf } from "../level.ts";
import type { PremiumSample } from "../series/premium.ts";
import type { Rejection } from "../series/rejected.ts";
import type { LastShares } from "../series/shares.ts";
import { SeriesDecimal } from "../series/units.ts";
import type { PoolState, ShareRatio, TokenPrice } from "../statement.ts";
import {
  ageOf,
  type Exclusion,
  excluded,
  inputsOf,
  type Judged,
  namesOf,
  outliersOf,
  spreadOf,
  turnedDown,
  witnessesOf,
} from "./judged.ts";
import { pricingPool } from "./pools.ts";
import { choosePrice, chooseRatio, isNearStock, ratioFollows } from "./prices.ts";
import type { Reference } from "./references.ts";

/** What is stated of one token. */
export interface StatedToken {
  readonly assetKey: string;
  readonly prices: readonly TokenPrice[];
  readonly ratios: readonly ShareRatio[];
  readonly pools: readonly PoolState[];
  readonly reference: Reference | undefined;
  /** What its share ratio and prices were when they last counted. */
  readonly last: LastShares | undefined;
  readonly isHalted: boolean;
  /** Basis points that a buy of $1,000 was worse lately; null: no route, or not measured. */
  readonly impact1kBps: string | null;
}

export interface PremiumContext {
  readonly at: UnixSeconds;
  /** Of the stock market. */
  readonly session: string;
  readonly platformFeeBps: string;
}

/** @returns no sample where nobody states a price, or how many shares it is of */
export function premiumSample(
  stated: StatedToken,
  context: PremiumContext,
): { readonly sample: PremiumSample | null; readonly rejections: readonly Rejection[] } {
  const { assetKey, reference } = stated;
  const { at, session, platformFeeBps } = context;
  const { levels, rejections } = levelsOf(stated, context);
  if (levels === null) return { sample: null, rejections };
  const { price, ratio } = levels;
  const isFixed = ratio.agreed.some(({ row }) => row.fixed === true);
  const parts = isFixed ? [price, reference] : [price, ratio, reference];
  const states = parts.flatMap((level) => level?.state ?? []);
  const conversions = price.agreed.flatMap(({ row }) => row.converted ?? []);
  const sample: PremiumSample = {
    assetKey,
    sampledAt: at,
    source: namesOf(price) ?? "",
    session,
    tokenPriceUsd: price.figure,
    sharesPerToken: ratio.figure,
    referencePriceUsd: reference?.figure ?? null,
    referenceSource: reference?.figure == null ? null : namesOf(reference),
    referenceAgeSeconds: ageOf(reference, at),
    witnesses: witnessesOf(parts),
    // Without a reference there is no premium to agree on.
    state: reference === undefined ? null : worstOf([...states, ...conversions]),
    spreadBps: spreadOf(parts),
    halted: stated.isHalted,
    impact1kBps: stated.impact1kBps,
    platformFeeBps,
    inputs: [
      ...inputsOf("price", price, at),
      ...inputsOf("ratio", ratio, at),
      ...inputsOf("reference", reference, at),
    ],
  };
  return { sample, rejections };
}

interface Levels {
  readonly price: Judged<TokenPrice>;
  readonly ratio: Judged<ShareRatio>;
}

/** What the sources agree on, the token's pools among them. */
function levelsOf(
  stated: StatedToken,
  { at, session }: PremiumContext,
): { readonly levels: Levels | null; readonly rejections: readonly Rejection[] } {
  const { assetKey, reference, last } = stated;
  const rejections: Rejection[] = [];
  const exclude = (kind: string, list: readonly Exclusion<unknown>[]) =>
    rejections.push(...excluded(kind, assetKey, list));
  const referenceUsd = reference?.figure ?? null;
  let ratio = chooseRatio(stated.ratios, at);
  if (ratio === null) return { levels: null, rejections };
  const pool = poolPrice(stated, ratio.figure, referenceUsd);
  exclude("pool", pool.exclusions);
  let price = choosePrice([...stated.prices, ...pool.prices], session);
  if (price === null) return { levels: null, rejections };
  exclude("ratio", outliersOf(ratio));
  exclude("price", outliersOf(price));
  if (!ratioFollows(ratio, price.figure, referenceUsd, last)) {
    const row = { ...ratio.agreed[0]?.row, last: last?.sharesPerToken };
    exclude("ratio", [{ row, reason: "share_ratio_jump" }]);
    ratio = turnedDown(ratio);
  }
  if (ratio.figure !== null && !isNearStock(price, ratio.figure, referenceUsd)) {
    exclude("price", [{ row: price.agreed[0]?.row, reason: "far_from_reference" }]);
    price = turnedDown(price);
  }
  return { levels: { price, ratio }, rejections };
}

/** The pool that prices the token is one witness: its index's. */
function poolPrice({ pools, prices }: StatedToken, shares: string | null, referenceUsd: string | null) {
  const others = choosePrice(prices, "regular");
  const stockUsd =
    referenceUsd === null || shares === null ? null : new SeriesDecimal(referenceUsd).times(shares).toFixed();
  const { pool, exclusions } = pricingPool(pools, others?.figure ?? prices[0]?.figure ?? null, stockUsd);
  if (pool?.figure == null) return { prices: [], exclusions };
  const { subject, source, origin, figure, at, rawHash } = pool;
  const price: TokenPrice = {
    of: "price",
    subject,
    source,
    origin,
    figure,
    at,
    rawHash,
    by: "pool",
    paidIn: "usd",
  };
  return { prices: [price], exclusions };
}
