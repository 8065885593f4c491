/**
 * The key of receipts: its own Ed25519 key behind an interface that signs only x402's receipts and offers. It can move
 * nothing and certify nothing. It is in a closure: it cannot be read off the returned object, logged, or serialized. Its
 * keystore is encrypted as the others are, under its own mark, so that none is taken for another.
 */
import { hash } from "node:crypto";
import { computeAddress, hexlify } from "ethers";
import { jwsOf, type OfferStatement, type ReceiptStatement } from "../../../attestor/receipts/statement.ts";
import { orElse } from "../../../attestor/values/orElse.ts";
import { markedAs, publicKeyOf, seedOfMarked, signing } from "../../log/key.ts";

const RECEIPT_KEYSTORE_MARK = "assay-receipts-ed25519";

/** The local world's key of receipts. Everybody has it: what it signs proves nothing. */
const DEVELOPMENT_SEED = hash("sha256", "assay: the development key of local receipts", "buffer");

export class ReceiptKeyError extends Error {
  override readonly name = "ReceiptKeyError";
}

export interface ReceiptSigner {
  /** 32 bytes, RFC 8032. */
  readonly publicKey: Uint8Array;
  readonly isDevelopmentKey: boolean;
  /** Whether the same 32 bytes are the key of this account: keys must differ from each other. */
  isKeyOf(address: string): boolean;
  /** @param kid DID URL of the key @returns compact JWS */
  sign(kid: string, statement: ReceiptStatement | OfferStatement): string;
}

/** @param seed 32 bytes */
export function receiptSigner(seed: Uint8Array): ReceiptSigner {
  const signed = signing(seed);
  const address = addressOf(seed);
  return Object.freeze({
    publicKey: publicKeyOf(seed),
    isDevelopmentKey: DEVELOPMENT_SEED.equals(seed),
    isKeyOf: (other: string) => address !== null && other.toLowerCase() === address.toLowerCase(),
    sign: (kid: string, statement: ReceiptStatement | OfferStatement) => jwsOf(kid, statement, signed),
  });
}

export const developmentReceiptSigner = (): ReceiptSigner => receiptSigner(DEVELOPMENT_SEED);

export const markedAsReceiptKey = (keystore: string, seed: Uint8Array): string =>
  markedAs(RECEIPT_KEYSTORE_MARK, keystore, seed);

const KEYSTORE_WORDS = {
  other: "the file is no keystore of a key of receipts: make one with assay keystore create --receipts",
  locked: "the keystore cannot be opened with that passphrase",
};

/**
 * @param keystore content of the file that `assay keystore create --receipts` wrote
 * @throws ReceiptKeyError, which never repeats anything of the file
 */
export async function receiptSignerFromKeystore(
  keystore: string,
  passphrase: string,
): Promise<ReceiptSigner> {
  const given = { keystore, passphrase };
  return receiptSigner(await seedOfMarked(RECEIPT_KEYSTORE_MARK, given, KEYSTORE_WORDS, ReceiptKeyError));
}

/** @returns null for the few seeds that are no key of an account */
function addressOf(seed: Uint8Array): string | null {
  return orElse(() => computeAddress(hexlify(seed)), null);
}
