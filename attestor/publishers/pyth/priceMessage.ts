/** Pyth's price message: one feed's price at one moment. */

import { toHex } from "../../evm/hash.ts";
import { AttestorError } from "../../values/attestorErrors.ts";
import { EvidenceDecimal } from "../../values/decimal.ts";
import { ByteReader } from "../byteReader.ts";
import type { SignedPrice } from "../publisher.ts";

/** The first byte of a price message; others carry other things, such as averages over time. */
const PRICE_FEED = 0;
/** The most places that a decimal of the evidence has. */
const MAX_PLACES = 18;

/** The feed that a message is of; null when it is no price. */
export function feedOf(message: Uint8Array): string | null {
  return message[0] === PRICE_FEED && message.length >= 33 ? toHex(message.subarray(1, 33)) : null;
}

/**
 * Averages and the time of the price before follow in the message; nobody needs them here.
 * @throws AttestorError `invalid_proof` also for a price that the evidence has no form for, such as a negative one
 */
export function parsePriceMessage(message: Uint8Array): Omit<SignedPrice, "signedAt"> {
  const reader = new ByteReader(message);
  if (reader.number(1) !== PRICE_FEED) throw new AttestorError("invalid_proof", "its message is no price");
  const feedId = toHex(reader.take(32));
  const price = reader.signed(8);
  const confidence = reader.unsigned(8);
  const exponent = Number(reader.signed(4));
  const publishedAt = reader.signed(8);
  reader.take(24); // Time of the price before, averaged price and confidence: a message has them all.
  if (price < 0n || Math.abs(exponent) > MAX_PLACES || publishedAt < 0n || publishedAt > 253_402_300_799n)
    throw new AttestorError("invalid_proof", "its price is none that evidence can state");
  return {
    feedId,
    price: scaled(price, exponent),
    confidence: scaled(confidence, exponent),
    publishedAt: Number(publishedAt),
    session: null,
  };
}

/** `mantissa * 10^exponent`, exact and without needless zeros: `(33223750n, -5)` is `"332.2375"`. */
function scaled(mantissa: bigint, exponent: number): string {
  return new EvidenceDecimal(`${mantissa}e${exponent}`).toFixed();
}
