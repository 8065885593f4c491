/**
 * The atoms that every schema of this room is made of. All parse to one canonical form. A wrong form
 * ends the parsing of its value (`abort`), because what follows reckons with the right one.
 */
import * as z from "zod";
import { checksumAddress } from "../evm/address.ts";
import { memo } from "../memo.ts";
import { orElse } from "./orElse.ts";

const MAX_UINT256 = 2n ** 256n - 1n;
const MAX_UINT64 = 2n ** 64n - 1n;

const form = (message: string) => ({ message, abort: true });
const checksum = form("has a wrong EIP-55 checksum");

/** A checksum costs a hash, each address is asked about twice in a row, and answers hold the same few again and again. */
const checksums = new Map<string, string | null>();

const checksummed = (value: string): string | null =>
  memo(checksums, value, () => orElse(() => checksumAddress(value), null));

/** A 20-byte address. Any case is accepted, but mixed case must carry a right EIP-55 checksum. */
export const Address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, form("must be 0x and 40 hexadecimal digits"))
  .refine((value) => checksummed(value) !== null, checksum)
  .overwrite((value) => checksummed(value) ?? value)
  .meta({ id: "Address", description: "20-byte address, EIP-55 checksummed in answers" });

/** Any text from outside that is hashed or stored. An unpaired surrogate has no UTF-8, so nothing can be done with it. */
export const Text = z.string().refine((value) => value.isWellFormed(), form("must be well-formed Unicode"));

/** The id of a job. Its characters let nobody write a sentence into a field that readers see. */
export const JobId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, "must be 1 to 64 of the characters A-Za-z0-9_-");

/** The id of a policy. A definition that its service alone vouches for shall not vouch for itself by its name. */
export const PolicyId = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]{0,39}$/, "must be 1 to 40 of the characters A-Z0-9_, a letter first");

/** The symbol of a stock or a token, such as `BRK.B`. Verdicts show it, so its characters let nobody vouch for it there. */
export const TradedSymbol = z
  .string()
  .max(24)
  .regex(
    /^[A-Za-z][A-Za-z0-9]*([.-][A-Za-z0-9]+)?$/,
    "must be a letter, then letters and digits, with at most one . or - between them",
  );

/** The version of a registry, which verdicts name: no sentence. */
export const RegistryVersion = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,40}$/, "must be 1 to 40 of the characters A-Za-z0-9._-");

/** 32 bytes in lower-case hexadecimal. */
export const Bytes32 = z
  .string()
  .regex(/^0x[0-9a-f]{64}$/, "must be 0x and 64 lower-case hexadecimal digits");

/** The first four bytes of a call. */
export const Selector = z.string().regex(/^0x[0-9a-f]{8}$/, "must be 0x and 8 lower-case hexadecimal digits");

/** A raw token amount or another uint256 as a decimal string without leading zeros. */
export const RawAmount = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,77})$/, form("must be a decimal integer without sign or leading zeros"))
  .refine((value) => value.length < 78 || BigInt(value) <= MAX_UINT256, "must fit into 256 bits");

/** The same above zero, as its JSON Schema says too. */
export const PositiveAmount = RawAmount.refine((value) => value !== "0", "must be more than zero").meta({
  pattern: "^[1-9][0-9]{0,77}$",
});

/** A uint64 in the same form. */
export const Uint64 = RawAmount.refine(
  (value) => value.length < 20 || BigInt(value) <= MAX_UINT64,
  "must fit into 64 bits",
);

/** A decimal number that is not negative: a price, a multiplier. */
export const UnsignedDecimal = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,79})(\.[0-9]{1,18})?$/, "must be a decimal number such as 271.5");

/** An amount of USD that was worked out: as long as arithmetic over two uint256 can make it. */
export const UsdFigure = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,399})(\.[0-9]{1,8})?$/, "must be a decimal number of USD");

/** A decimal number with sign: basis points, with up to four places. */
export const BasisPoints = z
  .string()
  .regex(/^-?(0|[1-9][0-9]{0,399})(\.[0-9]{1,4})?$/, "must be a decimal number of basis points");

/** The last second that ISO 8601 writes with a year of four digits. */
export const LAST_SECOND = 253_402_300_799;

/** Unix time in whole seconds. */
export const UnixSeconds = z.int().min(0).max(LAST_SECOND);

/**
 * CAIP-19-like key of a token: `eip155:<chainId>:<address>`. Any case of the address is accepted,
 * the parsed key is checksummed.
 */
export const AssetKey = z
  .string()
  .regex(/^eip155:[1-9][0-9]{0,15}:0x[0-9a-fA-F]{40}$/, form("must be eip155:<chainId>:<address>"))
  .refine((value) => checksummed(value.slice(value.lastIndexOf(":") + 1)) !== null, checksum)
  .overwrite((value) => {
    const cut = value.lastIndexOf(":") + 1;
    return value.slice(0, cut) + (checksummed(value.slice(cut)) ?? value.slice(cut));
  })
  .describe("eip155:<chainId>:<address>");

/** The asset key of a token on a chain. */
export function assetKeyOf(chainId: number, address: string): string {
  return `eip155:${chainId}:${checksumAddress(address)}`;
}

/** The address part of an asset key. */
export function addressOf(assetKey: string): string {
  return assetKey.slice(assetKey.lastIndexOf(":") + 1);
}
