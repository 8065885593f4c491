/** The forms that a setting's text may have. Each says what it must be, in the words of the settings page. */
import { z } from "zod";
import { Address } from "../../attestor/values/primitives.ts";

/** What a setting or an admin may allow a caller at most. */
export const MAX_LIMIT_PER_MINUTE = 1_000_000;

export const wholeNumber = (from: number, to: number) =>
  z
    .string()
    .refine(
      (text) => /^[0-9]{1,15}$/.test(text) && Number(text) >= from && Number(text) <= to,
      `must be a whole number from ${from} to ${to}`,
    )
    .transform(Number);

/** How long something is kept; null: forever. */
export const days = (least: number) =>
  z
    .string()
    .refine(
      (text) => text === "forever" || (/^[0-9]{1,5}$/.test(text) && Number(text) >= least),
      `must be a whole number of days, ${least} or more, or forever`,
    )
    .transform((text) => (text === "forever" ? null : Number(text)))
    .optional();

export const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, { error: `must be one of ${values.join(", ")}` });

export const url = (pattern: RegExp, example: string) =>
  z.string().refine((text) => pattern.test(text) && URL.canParse(text), `must be a URL such as ${example}`);

export const AddressSetting = z
  .string()
  .refine((text) => Address.safeParse(text).success, {
    error: "must be an address: 0x and 40 hexadecimal digits, with a valid checksum if it mixes cases",
    abort: true,
  })
  .transform((text) => Address.parse(text));

/** A key in AWS KMS. */
export const KmsKey = z
  .string()
  .regex(/^[A-Za-z0-9:/_-]{1,2048}$/, "must be the id, the ARN or the alias of a key");

/** Its value does not appear in messages and logs. */
export const secret = (description: string) => ({ description, secret: true });
/** A secret that may be given as `<name>_FILE`, the path of a file whose content it is. */
export const secretOrFile = (description: string) => ({ description, secret: true, file: true });
