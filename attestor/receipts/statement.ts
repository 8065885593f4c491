/**
 * What the signed receipts and offers of x402 say (its extension `offer-receipt`, version 1). This service signs them
 * as compact JWS (RFC 7515) with Ed25519 (RFC 8037), and a DID URL names the key.
 */
import { ed25519 } from "@noble/curves/ed25519.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import * as z from "zod";
import { fromBase64, toBase64, utf8 } from "../values/bytes.ts";
import { canonicalJson } from "../values/canonical.ts";
import { orElse } from "../values/orElse.ts";
import { Text, UnixSeconds } from "../values/primitives.ts";

const Line = Text.max(2_048);

/** The payer and the resource: x402 leaves price and payee to the offer and to the transaction. */
export const ReceiptStatement = z.looseObject({
  version: z.literal(1),
  /** CAIP-2. */
  network: Line,
  resourceUrl: Line,
  payer: Line,
  issuedAt: UnixSeconds,
  transaction: Line.optional(),
});
export type ReceiptStatement = z.infer<typeof ReceiptStatement>;

/** What the service wants for a resource. */
export const OfferStatement = z.looseObject({
  version: z.literal(1),
  resourceUrl: Line,
  scheme: Line,
  /** CAIP-2. */
  network: Line,
  asset: Line,
  payTo: Line,
  /** Raw units. */
  amount: Line,
  validUntil: UnixSeconds.optional(),
});
export type OfferStatement = z.infer<typeof OfferStatement>;

/** As x402 carries one. */
export const SignedStatement = z.looseObject({ format: z.literal("jws"), signature: z.string().max(8_192) });
export interface SignedStatement {
  readonly format: "jws";
  /** Compact JWS. */
  readonly signature: string;
}

const ALGORITHM = "EdDSA";
const Header = z.looseObject({ alg: z.literal(ALGORITHM), kid: Line, crit: z.undefined().optional() });

/** @param sign Ed25519 over the bytes that it is given */
export function jwsOf(
  kid: string,
  statement: ReceiptStatement | OfferStatement,
  sign: (message: Uint8Array) => Uint8Array,
): string {
  const part = (value: unknown) => toBase64url(utf8(canonicalJson(value)));
  const signed = `${part({ alg: ALGORITHM, kid })}.${part(statement)}`;
  return `${signed}.${toBase64url(sign(utf8(signed)))}`;
}

export type ParsedJws = NonNullable<ReturnType<typeof parseJws>>;

/** @returns null for what is no compact JWS of this kind */
export function parseJws(text: string) {
  const parts = text.split(".");
  const [header, payload, signature] = parts.map(fromBase64url);
  if (parts.length !== 3 || !header || !payload || signature?.length !== 64) return null;
  const parsed = Header.safeParse(jsonOf(header));
  const said = jsonOf(payload);
  if (!parsed.success || said === undefined) return null;
  return { kid: parsed.data.kid, payload: said, signed: utf8(`${parts[0]}.${parts[1]}`), signature };
}

/** @param publicKey 32 bytes, RFC 8032 */
export function isSignedBy({ signed, signature }: ParsedJws, publicKey: Uint8Array): boolean {
  return orElse(() => ed25519.verify(signature, signed, publicKey, { zip215: false }), false);
}

/**
 * The DID of the service that is reached by a URL: of its host and, where it has one, its path.
 * @param depth how many parts of the path belong to the service's own URL; all without it
 */
export function didOf(url: string, depth = Number.POSITIVE_INFINITY): string {
  const { host, pathname } = new URL(url);
  const path = pathname
    .split("/")
    .filter((part) => part !== "")
    .slice(0, depth);
  return ["did:web", host, ...path].map((part, at) => (at === 0 ? part : encodeURIComponent(part))).join(":");
}

/** The DID URL of a key of a service. @param publicKey 32 bytes, RFC 8032 */
export const kidOf = (did: string, publicKey: Uint8Array): string =>
  `${did}#receipts-${bytesToHex(sha256(publicKey)).slice(0, 8)}`;

export function toBase64url(bytes: Uint8Array): string {
  return toBase64(bytes).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/** @returns null for text that is none in its one canonical form */
export function fromBase64url(text: string): Uint8Array | null {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) return null;
  const padded = text.replace(/-/g, "+").replace(/_/g, "/");
  return fromBase64(padded + "=".repeat((4 - (padded.length % 4)) % 4));
}

function jsonOf(bytes: Uint8Array): unknown {
  return orElse(() => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)), undefined);
}
