/** Amounts of a trade as people say them. */
import type { Intent } from "../../attestor/intent.ts";
import type { Asset } from "../../attestor/registry.ts";
import type { Report } from "../../attestor/report.ts";
import { wholeUnits } from "../../attestor/values/wholeUnits.ts";
import { cut } from "../../attestor/view/amounts.ts";

/** Those of the registry. */
export type Assets = readonly Asset[];

/** Digits of an amount that one gets at least; never more than there are. */
const DIGITS = 6;

/** `250 USDL`; raw units of the asset key where the registry has no such asset any more. */
export function inUnits(raw: string, assetKey: string, assets: Assets, digits?: number): string {
  const asset = assets.find((each) => each.assetKey === assetKey);
  if (asset === undefined) return `${raw} raw units of ${assetKey}`;
  const units = wholeUnits(raw, asset.decimals);
  return `${digits === undefined ? units : cut(units, digits)} ${asset.symbol}`;
}

/**
 * The trade in words: `250 USDL for at least 0.9207 AAPLx`.
 * @param isRaw the caller gave raw units: then what they are in units is said, since it may surprise
 */
export function understood(
  intent: Intent,
  report: Report | undefined,
  assets: Assets,
  isRaw = false,
): string {
  const { inputAssetKey, outputAssetKey, amountInRaw, ownerAddress, recipientAddress } = intent;
  const spent = inUnits(amountInRaw, inputAssetKey, assets);
  const least = report?.evidence.figures.minAmountOutRaw ?? null;
  const output = assets.find(({ assetKey }) => assetKey === outputAssetKey)?.symbol ?? outputAssetKey;
  const got = least === null ? output : `at least ${inUnits(least, outputAssetKey, assets, DIGITS)}`;
  const paid = recipientAddress === ownerAddress ? "" : `, paid to ${recipientAddress}`;
  return `${isRaw ? `amountInRaw ${amountInRaw} is ` : ""}${spent} for ${got}${paid}`;
}
