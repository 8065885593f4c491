/** Addresses, guards, keys and times as they are typed on a command line, and as they are shown. */
import { getAddress } from "ethers";
import { LogError } from "../attestor/log/logError.ts";
import { parseVkey, type VerifierKey } from "../attestor/log/note.ts";
import { Address } from "../attestor/values/primitives.ts";
import { guardNamed } from "../attestor/verify/reader.ts";
import type { GuardName } from "../attestor/verify/trust.ts";
import { UsageError } from "./errors.ts";

/** @returns EIP-55 @throws UsageError */
export function addressFrom(text: string, what: string): string {
  const parsed = Address.safeParse(text);
  if (!parsed.success)
    throw new UsageError(`${what} ${parsed.error.issues[0]?.message ?? "is no address"}: ${text}`);
  return getAddress(parsed.data);
}

/** `56:0x…`. @throws UsageError for what is no chain id and address */
export function guardOf(text: string): GuardName {
  try {
    return guardNamed(text);
  } catch (error) {
    throw new UsageError(`--guard ${(error as Error).message}`);
  }
}

/** A verifier key. @throws UsageError */
export function vkeyOf(option: string, text: string): VerifierKey {
  try {
    return parseVkey(text);
  } catch (error) {
    throw new UsageError(
      `${option}: ${error instanceof LogError ? error.message : "this is not a verifier key"}`,
    );
  }
}

/** A day or a second of UTC. @returns unix seconds @throws UsageError */
export function secondsFrom(text: string): number {
  const ms = /^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9:.]+Z)?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms))
    throw new UsageError(`${text} is not a time: use 2026-11-20 or 2026-11-20T15:00:00Z, UTC`);
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
