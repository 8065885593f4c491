/** What a setting's text may say. */
import { z } from "zod";

export const wholeNumber = (from: number, to: number) =>
  z
    .string()
    .refine(
      (text) => /^[0-9]{1,15}$/.test(text) && Number(text) >= from && Number(text) <= to,
      `must be a whole number from ${from} to ${to}`,
    )
    .transform(Number);

export const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, { error: `must be one of ${values.join(", ")}` });

export const url = (pattern: RegExp, example: string) =>
  z.string().refine((text) => pattern.test(text) && URL.canParse(text), `must be a URL such as ${example}`);
