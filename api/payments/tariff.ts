/**
 * What a verification costs, by policy and by the size of the trade. The size is the input in dollars, by fixed figures
 * that are published beforehand. A settlement token counts as one dollar, a stock token as what the operator sets. No
 * market price moves it, the agent only names the amount that is judged, and an input without a figure takes the highest
 * tier. So the tariff is enough to compute what the challenge will ask.
 */
import { z } from "zod";
import type { Intent } from "../../attestor/intent.ts";
import { POLICIES } from "../../attestor/policies/policy.ts";
import { findAsset, type Registry } from "../../attestor/registry.ts";
import { AssetKey, RawAmount } from "../../attestor/values/primitives.ts";
import { type Offer, policyPriceOf } from "../settings/paymentOptions.ts";
import { dollarsOf, type TradeSize, tiersOf } from "../settings/prices.ts";

const SETTLEMENT_DOLLARS = "1";

/** What of a trade its price depends on beside the policy. */
export type Sized = Pick<Intent, "inputAssetKey" | "amountInRaw">;

export const Tariff = z
  .object({
    inputs: z
      .array(
        z.object({
          assetKey: AssetKey,
          decimals: z.int().describe("Of the token: 10 to this power raw units are one of it"),
          dollarsPerToken: z.string().describe("Decimal; fixed by the operator, no market price"),
        }),
      )
      .describe(
        "Input tokens whose amount says how large a trade is: `amountInRaw / 10 ** decimals * dollarsPerToken`, exactly. A trade of any other token, or without an amount, takes the last tier. Empty where no price depends on the size",
      ),
    prices: z.array(
      z.object({
        policyId: z.string(),
        network: z.string().describe("CAIP-2"),
        asset: z.string().describe("The token that is paid with"),
        tiers: z
          .array(
            z.object({
              upTo: z
                .string()
                .nullable()
                .describe(
                  "Dollars, decimal: for trades up to this size, that one included; null: for all others",
                ),
              amount: RawAmount.describe("The price, raw units of `asset`"),
            }),
          )
          .describe("The first that fits a trade's size is its price"),
      }),
    ),
  })
  .meta({ id: "Tariff", description: "What a verification costs, by policy and by the size of the trade" });
export type Tariff = z.infer<typeof Tariff>;

export interface TariffDeps {
  readonly offers: readonly Offer[];
  readonly registry: Registry;
  /** Of stock tokens, by asset key. */
  readonly dollarsPerToken: Readonly<Record<string, string>>;
}

type SizeDeps = Pick<TariffDeps, "registry" | "dollarsPerToken">;

/** @returns null where nobody says what the input is worth */
export function sizeOf(deps: SizeDeps, { inputAssetKey, amountInRaw }: Sized): TradeSize | null {
  const asset = findAsset(deps.registry, inputAssetKey);
  const dollars = asset === undefined ? null : dollarsOfToken(deps, asset);
  if (asset === undefined || dollars === null) return null;
  const { units, scale } = dollarsOf(dollars);
  return { units: BigInt(amountInRaw) * units, scale: asset.decimals + scale };
}

/** What is published. */
export function tariffOf(deps: TariffDeps): Tariff {
  const prices = deps.offers.flatMap((offer) =>
    [...POLICIES.keys()].flatMap((policyId) => {
      const price = policyPriceOf(offer, policyId);
      if (price === null) return [];
      const tiers = tiersOf(price).map(({ upTo = null, price: amount }) => ({ upTo, amount }));
      return [{ policyId, network: offer.network, asset: offer.asset, tiers }];
    }),
  );
  const dependsOnSize = prices.some(({ tiers }) => tiers.length > 1);
  const inputs = deps.registry.assets.flatMap((asset) => {
    const dollarsPerToken = dollarsOfToken(deps, asset);
    return dollarsPerToken === null || !dependsOnSize
      ? []
      : [{ assetKey: asset.assetKey, decimals: asset.decimals, dollarsPerToken }];
  });
  return { inputs, prices };
}

/** Faults in words; none: the figures are of stock tokens that can be traded here. */
export function faultsOfDollars({ registry, dollarsPerToken }: SizeDeps): string[] {
  return Object.keys(dollarsPerToken).flatMap((assetKey) => {
    const kind = findAsset(registry, assetKey)?.kind;
    if (kind === "stock") return [];
    const why =
      kind === undefined
        ? "is no asset of the registry"
        : "is a settlement token, which counts as one dollar";
    return [`PAYMENT_OPTIONS_FILE dollarsPerToken: ${assetKey} ${why}`];
  });
}

function dollarsOfToken(
  { dollarsPerToken }: SizeDeps,
  { kind, assetKey }: Registry["assets"][number],
): string | null {
  if (kind === "settlement") return SETTLEMENT_DOLLARS;
  return Object.hasOwn(dollarsPerToken, assetKey) ? (dollarsPerToken[assetKey] ?? null) : null;
}
