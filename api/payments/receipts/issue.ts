/**
 * Signed receipts and offers (x402 extension `offer-receipt`), and the document that says by which key. A receipt is a
 * function of the payment: the same for every answer, in every process, for as long as the key is the same.
 */
import { didOf, kidOf, type SignedStatement, toBase64url } from "../../../attestor/receipts/statement.ts";
import type { Requirements } from "../payload.ts";
import { resourcePathOf } from "../quote.ts";
import type { StoredPayment } from "../rows.ts";
import type { ReceiptSigner } from "./key.ts";

const OFFER_RECEIPT = "offer-receipt";

export type SignedOffer = SignedStatement & { readonly acceptIndex: number };
export type ReceiptIssuer = ReturnType<typeof createReceiptIssuer>;

export interface ReceiptIssuerDeps {
  readonly signer: ReceiptSigner;
  /** Public keys that signed before, 32 bytes each. */
  readonly formerKeys: readonly Uint8Array[];
  /** Where buyers reach the service, without a slash at its end. */
  readonly publicUrl: () => string;
  /** Unix milliseconds. */
  readonly clock: () => number;
}

export function createReceiptIssuer({ signer, formerKeys, publicUrl, clock }: ReceiptIssuerDeps) {
  const kid = () => kidOf(didOf(publicUrl()), signer.publicKey);
  return {
    /** @returns null for a payment that did not come to pass */
    receipt(payment: StoredPayment): SignedStatement | null {
      const { state, network, payer, terms, transactionHash, settledAt } = payment;
      if (state !== "settled" || settledAt === null || transactionHash === null) return null;
      const statement = {
        version: 1 as const,
        network,
        resourceUrl: `${publicUrl()}${resourcePathOf(terms)}`,
        payer,
        issuedAt: settledAt,
        transaction: transactionHash,
      };
      return { format: "jws", signature: signer.sign(kid(), statement) };
    },
    offers: (resourceUrl: string, accepts: readonly Requirements[]): SignedOffer[] =>
      accepts.map(({ scheme, network, asset, payTo, amount, maxTimeoutSeconds }, acceptIndex) => {
        const validUntil = Math.floor(clock() / 1_000) + maxTimeoutSeconds;
        const terms = { scheme, network, asset, payTo, amount, validUntil };
        const statement = { version: 1 as const, resourceUrl, ...terms };
        return { format: "jws", acceptIndex, signature: signer.sign(kid(), statement) };
      }),
    /** The DID document of the service: its key of receipts, and those before it. */
    document: () => documentOf(didOf(publicUrl()), signer.publicKey, formerKeys),
  };
}

/** Only the key of today signs; those before it stay, so that what they signed can be checked. */
function documentOf(did: string, current: Uint8Array, former: readonly Uint8Array[]) {
  const method = (publicKey: Uint8Array) => ({
    id: kidOf(did, publicKey),
    type: "JsonWebKey2020" as const,
    controller: did,
    publicKeyJwk: { kty: "OKP" as const, crv: "Ed25519" as const, x: toBase64url(publicKey) },
  });
  return {
    "@context": ["https://www.w3.org/ns/did/v1", "https://w3id.org/security/suites/jws-2020/v1"],
    id: did,
    verificationMethod: [current, ...former].map(method),
    assertionMethod: [kidOf(did, current)],
  };
}

/** Short, as they travel in headers. */
const schemaOf = (name: "receipt" | "offers") => ({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  required: [name],
});

/** As an answer carries a signed receipt. */
export const receiptExtension = (receipt: SignedStatement): Record<string, unknown> => ({
  [OFFER_RECEIPT]: { info: { receipt }, schema: schemaOf("receipt") },
});

/** As a challenge carries signed offers. */
export const offersExtension = (offers: readonly SignedOffer[]): Record<string, unknown> => ({
  [OFFER_RECEIPT]: { info: { offers }, schema: schemaOf("offers") },
});
