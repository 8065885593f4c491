/** The values that providers send, each parsed to one form of ours. */
import { Decimal } from "decimal.js";
import { getAddress } from "ethers";
import { z } from "zod";
import { CHAINS, type Chain } from "../../attestor/chains.ts";

/** Enough digits for any price over any raw amount: no step of ours rounds before its last. */
export const ProviderDecimal = Decimal.clone({ precision: 100, toExpNeg: -1_000, toExpPos: 1_000 });

const DECIMAL = /^[+-]?(\d{1,60}(\.\d{0,60})?|\.\d{1,60})([eE][+-]?\d{1,2})?$/;

/** Longer ones no sample holds, nor the median of two: they are no figure of anything that is traded. */
const PLAIN = /^-?\d{1,39}(\.\d{1,39})?$/;

/** A number as text or as a JSON number; parsed to plain decimal text without exponent: `"390.075"`. */
export const DecimalText = z
  .union([z.string().max(130), z.number()])
  .transform(String)
  .pipe(z.string().regex(DECIMAL))
  .transform((text) => new ProviderDecimal(text).toFixed())
  .refine((text) => PLAIN.test(text), { error: "has too many digits", abort: true });

/** The message that distinguishes a figure of 0 or below from one of the wrong form. */
export const NOT_POSITIVE = "must be above zero";

/** The same, above zero. A price of 0 is a provider's way to say that it has none. */
export const PositiveDecimal = DecimalText.refine((text) => new ProviderDecimal(text).gt(0), NOT_POSITIVE);

/** The same, 0 included: a volume, a liquidity. */
export const UnsignedDecimal = DecimalText.refine(
  (text) => new ProviderDecimal(text).gte(0),
  "must not be negative",
);

/** The price; null for none, and for 0 or below, which is a provider's way to say that it has none. */
export function priceOrNone(price: string | null | undefined): string | null {
  return price != null && new ProviderDecimal(price).gt(0) ? price : null;
}

/** Whether a ratio is the quotient of its row's two prices, within 2 basis points. */
export function isQuotient(ratio: string, price: string, perShare: string): boolean {
  return new ProviderDecimal(price).dividedBy(perShare).dividedBy(ratio).minus(1).abs().lte("0.0002");
}

/** A raw token amount above zero: decimal digits, or a JSON number that is exact. */
export const RawAmount = z
  .union([z.string(), z.int().transform(String)])
  .pipe(z.string().regex(/^0*[1-9]\d{0,77}$/))
  .transform((text) => BigInt(text).toString());

const LAST_SECOND = 4_102_444_800;

/** Unix seconds up to the year 2100, as number or text; a fraction is cut. */
export const UnixSeconds = DecimalText.transform((text) => Math.floor(Number(text))).pipe(
  z.int().min(0).max(LAST_SECOND),
);

/** Unix milliseconds, parsed to seconds. */
export const MillisAsSeconds = DecimalText.transform((text) => Math.floor(Number(text) / 1_000)).pipe(
  z.int().min(0).max(LAST_SECOND),
);

/** An ISO 8601 time with its zone, parsed to unix seconds. */
export const IsoAsSeconds = z.iso
  .datetime({ offset: true })
  .transform((text) => Math.floor(Date.parse(text) / 1_000))
  .pipe(z.int().min(0).max(LAST_SECOND));

/**
 * One text per address: EIP-55 on EVM chains, unchanged on Solana, where case matters.
 * @returns null when it is no address of that chain
 */
export function canonicalAddress(chain: Chain, text: string): string | null {
  if (CHAINS[chain].addresses === "base58") return /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text) ? text : null;
  return /^0x[0-9a-fA-F]{40}$/.test(text) ? getAddress(text.toLowerCase()) : null;
}

/** @returns false also where one of them is no address of that chain */
export function sameAddress(chain: Chain, one: string, other: string): boolean {
  const canonical = canonicalAddress(chain, one);
  return canonical !== null && canonical === canonicalAddress(chain, other);
}
