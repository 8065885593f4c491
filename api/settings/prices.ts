/** Prices of a policy: one for every trade, or tiers by the trade's size in dollars. */
import { z } from "zod";
import { RawAmount } from "../../attestor/values/primitives.ts";

/** An exact decimal number. */
const DECIMAL = /^(0|[1-9][0-9]{0,17})(\.[0-9]{1,18})?$/;

export const Dollars = z
  .string()
  .regex(DECIMAL, 'must be a decimal number of dollars in quotes, such as "1000" or "0.5"')
  .refine((text) => !DECIMAL.test(text) || !/^[0.]+$/.test(text), "must be more than zero");

const Price = RawAmount.refine((price) => price !== "0", "must be more than zero");

/** Trades of up to so many dollars, that amount included, for this price. The last tier is for all others. */
const Tier = z.strictObject({ upTo: Dollars.optional(), price: Price });
export type Tier = z.infer<typeof Tier>;

const MAX_TIERS = 16;

const Tiers = z
  .array(Tier)
  .min(1, "must name a price")
  .max(MAX_TIERS)
  .superRefine((tiers, context) => {
    const fault = (index: number, member: "upTo" | "price", message: string) =>
      context.addIssue({ code: "custom", path: [index, member], message });
    for (const [index, { upTo, price }] of tiers.entries()) {
      const isLast = index === tiers.length - 1;
      if (isLast && upTo !== undefined)
        fault(index, "upTo", "must not be in the last tier, which is for all others");
      if (!isLast && upTo === undefined) fault(index, "upTo", "is missing: only the last tier has none");
      const before = tiers[index - 1];
      if (before === undefined) continue;
      if (upTo !== undefined && before.upTo !== undefined && !isLess(before.upTo, upTo))
        fault(index, "upTo", "must be more than that of the tier before");
      if (BigInt(price) < BigInt(before.price))
        fault(
          index,
          "price",
          "must not be less than that of the tier before: who hides a trade's size would pay less",
        );
    }
  });

/** Raw units of the token, for every trade or by tiers. */
export const PolicyPrice = z.unknown().transform((value, context): string | readonly Tier[] => {
  const parsed: z.ZodSafeParseResult<string | readonly Tier[]> = Array.isArray(value)
    ? Tiers.safeParse(value)
    : Price.safeParse(value);
  if (parsed.success) return parsed.data;
  for (const { path, message } of parsed.error.issues)
    context.addIssue({ code: "custom", path: [...path], message });
  return z.NEVER;
});
export type PolicyPrice = z.infer<typeof PolicyPrice>;

/** An exact number of dollars: `units / 10 ** scale`. */
export interface TradeSize {
  readonly units: bigint;
  readonly scale: number;
}

/** @param text as `Dollars` has it */
export function dollarsOf(text: string): TradeSize {
  const [whole = "0", fraction = ""] = text.split(".");
  return { units: BigInt(whole + fraction), scale: fraction.length };
}

export const tiersOf = (price: PolicyPrice): readonly Tier[] =>
  typeof price === "string" ? [{ price }] : price;

/**
 * What a trade costs, raw units of the token.
 * @param size null: not known. It then costs what the largest one costs
 */
export function priceFor(price: PolicyPrice, size: TradeSize | null): string {
  const tiers = tiersOf(price);
  const found = tiers.find(
    ({ upTo }) => upTo === undefined || (size !== null && compare(size, dollarsOf(upTo)) <= 0),
  );
  if (found === undefined) throw new Error("the last tier has no end");
  return found.price;
}

const isLess = (one: string, other: string): boolean =>
  DECIMAL.test(one) && DECIMAL.test(other) && compare(dollarsOf(one), dollarsOf(other)) < 0;

function compare(one: TradeSize, other: TradeSize): -1 | 0 | 1 {
  const [left, right] = [one.units * 10n ** BigInt(other.scale), other.units * 10n ** BigInt(one.scale)];
  return left < right ? -1 : left > right ? 1 : 0;
}
