/**
 * Which x402 extensions a challenge declares beside those that every one has. They travel in a header, and proxies may
 * give all headers of an answer no more than 4 KiB (nginx's `proxy_buffer_size`), so each is there as long as it fits.
 */
import type { Requirements } from "./payload.ts";
import { VERIFY_PATH } from "./quote.ts";
import { offersExtension, type ReceiptIssuer } from "./receipts/issue.ts";
import type { SignIns } from "./signIn/signIns.ts";

/**
 * Characters of PAYMENT-REQUIRED up to which extensions are added. The second value applies where the operator includes
 * descriptions for catalogs, for which proxies must let 8 KiB through.
 */
const MAX_HEADER = 3_200;
const MAX_LONG_HEADER = 7_000;

export interface Offered {
  readonly path: string;
  readonly resource: { readonly url: string; readonly description: string };
  readonly accepts: readonly Requirements[];
}

export interface DeclaringDeps {
  readonly signIns: SignIns;
  /** null: nothing is signed. */
  readonly receipts: ReceiptIssuer | null;
  /** Whether proxies in front let 8 KiB of headers through. */
  readonly longHeaders: boolean;
}

/**
 * @param always what is declared at any length
 * @param signIns where a payment of a moment ago would answer anyway: of a body; a job that is unpaid has no payer
 */
export function declaredWith(
  always: Record<string, unknown>,
  { path, resource, accepts }: Offered,
  { signIns, receipts, longHeaders }: DeclaringDeps,
): Record<string, unknown> {
  const optional = [
    ...(path === VERIFY_PATH ? [signIns.declared(path)] : []),
    ...(receipts === null ? [] : [offersExtension(receipts.offers(resource.url, accepts))]),
  ];
  const limit = longHeaders ? MAX_LONG_HEADER : MAX_HEADER;
  let declared = always;
  for (const extension of optional) {
    const longer = { ...declared, ...extension };
    if (headerLength({ x402Version: 2, resource, accepts, extensions: longer }) <= limit) declared = longer;
  }
  return declared;
}

/** Of base64; what else the header says has some bytes. */
const headerLength = (content: object): number =>
  Math.ceil(Buffer.byteLength(JSON.stringify(content)) / 3) * 4;
