/** The forms of what is typed on a command line, and how times are shown. A fault repeats nothing that was typed. */
import type { z } from "zod";
import { parseVkey, type VerifierKey } from "../attestor/log/note.ts";
import { Address } from "../attestor/values/primitives.ts";
import { guardNamed } from "../attestor/verify/reader.ts";
import type { GuardName } from "../attestor/verify/trust.ts";
import { UsageError } from "./errors.ts";

/** As a schema takes it, whose messages go on after a name. */
export const matching =
  <T>(schema: z.ZodType<T>) =>
  (typed: string): T => {
    const parsed = schema.safeParse(typed);
    if (parsed.success) return parsed.data;
    throw new UsageError(parsed.error.issues[0]?.message ?? "is not valid");
  };

/** EIP-55. */
export const address = matching(Address);

/** An address that somebody can have. */
export function holder(typed: string): string {
  const found = address(typed);
  if (/^0x0+$/.test(found)) throw new UsageError("must not be the zero address");
  return found;
}

/** 32 bytes in hexadecimal. @returns lower case */
export function hash(typed: string): string {
  if (!/^0x[0-9a-fA-F]{64}$/.test(typed)) throw new UsageError("must be 0x and 64 hexadecimal digits");
  return typed.toLowerCase();
}

/** @param names in the order in which they are told */
export const oneOf =
  <const T extends string>(names: readonly T[]) =>
  (typed: string): T => {
    const found = names.find((name) => name === typed);
    if (found !== undefined) return found;
    throw new UsageError(`must be ${names.slice(0, -1).join(", ")} or ${names.at(-1)}`);
  };

/** Digits alone, up to eighteen. */
export function bigNumber(typed: string): bigint {
  if (!/^[0-9]{1,18}$/.test(typed)) throw new UsageError("must be a whole number");
  return BigInt(typed);
}

export const wholeNumber =
  (least: number, most: number) =>
  (typed: string): number => {
    const number = /^[0-9]{1,15}$/.test(typed) ? Number(typed) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new UsageError(`must be a whole number from ${least} to ${most}`);
  };

/** `56:0x…` */
export function guardName(typed: string): GuardName {
  try {
    return guardNamed(typed);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

export function vkey(typed: string): VerifierKey {
  try {
    return parseVkey(typed);
  } catch (error) {
    throw new UsageError(`cannot be used: ${(error as Error).message}`);
  }
}

/** A day of UTC. @returns unix seconds of its beginning */
export function day(typed: string): number {
  return secondsOf(typed, /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/, "a day such as 2026-11-20");
}

/** A day or a second of UTC. @returns unix seconds */
export function time(typed: string): number {
  const form = /^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9:.]+Z)?$/;
  return secondsOf(typed, form, "a time such as 2026-11-20 or 2026-11-20T15:00:00Z, UTC");
}

function secondsOf(typed: string, form: RegExp, what: string): number {
  const ms = form.test(typed) ? Date.parse(typed) : Number.NaN;
  if (Number.isNaN(ms)) throw new UsageError(`must be ${what}`);
  return Math.floor(ms / 1_000);
}

/** `2026-11-23T17:00:00Z` */
export function isoTime(unixSeconds: number): string {
  return new Date(unixSeconds * 1_000).toISOString().replace(".000Z", "Z");
}

/** `45 s`, `12 min`, `5 h`, `3 d` */
export function ageText(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.floor(seconds / 3_600)} h` : `${Math.floor(seconds / 86_400)} d`;
}
