/** Query parameters of the data API: lenient ones for the contract's endpoints, and strict ones. */
import { z } from "zod";
import { CHAIN_NAMES } from "../../attestor/chains.ts";

/** A query value as Express hands it over: a parameter sent twice is a list. */
function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

const DECIMAL = /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?$/i;

/** What is not one number takes the default; fractions are cut off; what is out of range is clamped. */
export function daysOf(value: unknown, max: number, byDefault: number): number {
  const given = text(value)?.trim() ?? "";
  if (!DECIMAL.test(given)) return byDefault;
  return Math.min(max, Math.max(1, Math.trunc(Number(given))));
}

/** Documented by the range that makes sense, though nothing is refused. */
export function days(max: number, byDefault: number) {
  return z
    .unknown()
    .optional()
    .transform((value) => daysOf(value, max, byDefault))
    .meta({
      description: `Days back from now. A value that is not a number is replaced by the default, one out of range is clamped; the answer says which was used.`,
      override: { type: "integer", minimum: 1, maximum: max, default: byDefault },
    });
}

/** The text as it came; nothing where it is missing; what was sent several times, with commas between. */
export function echoed(description: string, required: boolean) {
  return z
    .unknown()
    .optional()
    .transform((value) => (Array.isArray(value) ? value.join(",") : (text(value) ?? "")))
    .meta({ description, override: { type: "string" }, param: { required } });
}

/** Nothing where the parameter is missing or empty. */
export function optionalText(description: string, override: { enum?: string[] } = {}) {
  return z
    .unknown()
    .optional()
    .transform((value) => (value === undefined || value === "" ? undefined : String(value)))
    .meta({ description, override: { type: "string", ...override } });
}

/** Which token a series is of. */
export const tokenParameters = {
  chain: optionalText("Which token, where the symbol exists on several chains; by default the first listed", {
    enum: CHAIN_NAMES,
  }),
  address: optionalText(
    "The token by its address, in any letter case on EVM chains; symbol and chain are then ignored",
  ),
};

/** No address is longer. */
const ADDRESS_LENGTH = 64;
export const addressOf = ({ address }: { readonly address?: string | undefined }) =>
  address?.slice(0, ADDRESS_LENGTH);

/** What `from` and `to` must be. */
export const MOMENT_WORDS = "a date or a date-time, UTC, such as 2026-11-25 or 2026-11-25T14:00:00Z";

// Of strict endpoints.

export const optionList = (schema: z.ZodEnum) => schema.options.join(", ");

/** Several of these, with commas between. */
export const someOf = <T extends string>(
  schema: z.ZodType<T, string>,
  description: string,
  maxLength = 100,
) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .optional()
    .transform((text) => text?.split(","))
    .pipe(z.array(schema).optional())
    .meta({ description, override: { type: "string", maxLength } });

export const moment = (description: string) =>
  z.union([z.iso.date(), z.iso.datetime()], `must be ${MOMENT_WORDS}`).optional().describe(description);

export const name = (description: string) => z.string().min(1).max(64).optional().describe(description);

/** Which tokens a list is about. */
export const chosenBy = {
  symbol: name("Only of tokens with this symbol, as minted"),
  chain: z.enum(CHAIN_NAMES).optional().describe("Only of tokens on this chain"),
  address: name("Only of the token at this address, in any letter case on EVM chains"),
};
