/** The guard call that carries a certificate, encoded as the chain takes it. */
import { id } from "../evm/hash.ts";
import { addressWord, encodeCall, uintWord } from "../evm/words.ts";
import type { TradeIntent } from "../intent.ts";
import {
  CERTIFICATE_TYPES,
  certificateWords,
  intentWords,
  TRADE_INTENT_TYPES,
  type VerificationCertificate,
} from "./certificate.ts";
import { type SignatureSlot, unpackCall } from "./packedTrade.ts";

const tuple = (members: readonly { type: string }[]) => `(${members.map(({ type }) => type).join(",")})`;

const EXECUTE_ARGUMENTS = [
  tuple(TRADE_INTENT_TYPES.TradeIntent),
  tuple(CERTIFICATE_TYPES.VerificationCertificate),
  "bytes",
  "bytes",
];
const EXECUTE_SELECTOR = id(`execute(${EXECUTE_ARGUMENTS.join(",")})`).slice(0, 10);
const EXECUTE_FOR_SELECTOR = id(`executeFor(${[...EXECUTE_ARGUMENTS, "bytes"].join(",")})`).slice(0, 10);
const APPROVE_SELECTOR = id("approve(address,uint256)").slice(0, 10);

/** Call data of `execute`, which the owner sends to the guard. */
export function executeCallData(
  intent: TradeIntent,
  certificate: VerificationCertificate,
  signature: string,
  routeCallData: string,
): string {
  return encodeCall(EXECUTE_SELECTOR, structWords(intent, certificate), [signature, routeCallData]);
}

/** Call data of `executeFor`, which anybody sends to the guard with the owner's signature of the trade intent. */
export function executeForCallData(
  intent: TradeIntent,
  certificate: VerificationCertificate,
  signatures: { readonly certificate: string; readonly owner: string },
  routeCallData: string,
): string {
  const tails = [signatures.certificate, signatures.owner, routeCallData];
  return encodeCall(EXECUTE_FOR_SELECTOR, structWords(intent, certificate), tails);
}

/** Call data of `executeFor` that lacks only the owner's signature, for clients that sign and send without an ABI library. */
export function relayableCall(...execute: Parameters<typeof executeCallData>): {
  readonly data: string;
  readonly ownerSignature: SignatureSlot;
} {
  const [intent, certificate, signature, routeCallData] = execute;
  const length = 65;
  const owner = `0x${"00".repeat(length)}`;
  const signed = Math.ceil((signature.length - 2) / WORD) * WORD;
  // Three places and two lengths stand before it.
  const words = structWords(intent, certificate).length + 5;
  return {
    data: executeForCallData(intent, certificate, { certificate: signature, owner }, routeCallData),
    ownerSignature: { offset: 4 + (words * WORD + signed) / 2, length, form: "r, s, v" },
  };
}

/** Both structs are of fixed length, so that they stand word for word where an argument would. */
const structWords = (intent: TradeIntent, certificate: VerificationCertificate) => [
  ...intentWords(intent),
  ...certificateWords(certificate),
];

/** Call data of a token's `approve`. @param amount raw units, decimal */
export function approveCallData(spender: string, amount: string): string {
  return encodeCall(APPROVE_SELECTOR, [addressWord(spender), uintWord(amount)]);
}

/**
 * Lets a spender take what so many trades of an amount need: a bounded standing allowance, or with one trade an exact approval.
 * @param approval of a prepared trade @param trades at least 1
 * @returns the transaction that the owner sends, which sets the allowance and does not add to it
 * @throws RangeError for no such number of trades, or an amount that does not fit
 */
export function approvalCall(
  { token, spender, amount }: { readonly token: string; readonly spender: string; readonly amount: string },
  trades: number,
): { readonly to: string; readonly data: string } {
  if (!Number.isSafeInteger(trades) || trades < 1)
    throw new RangeError("an allowance is for one trade at least");
  return { to: token, data: approveCallData(spender, String(BigInt(amount) * BigInt(trades))) };
}

const WORD = 64;
const CALL_FORMS = [EXECUTE_SELECTOR, EXECUTE_FOR_SELECTOR];

/** What the certificate in the data of a guard call says; null where the data is none. */
export function certificateInCall(
  data: string,
): Pick<VerificationCertificate, "evidenceHash" | "jobId" | "reportVersion"> | null {
  const packed = unpackCall(data);
  if (packed !== null) {
    const { evidenceHash, jobId, reportVersion } = packed.trade.certificate;
    return { evidenceHash, jobId, reportVersion };
  }
  if (!/^0x[0-9a-f]*$/.test(data) || !CALL_FORMS.includes(data.slice(0, 10))) return null;
  // Both structs are of fixed length and stand first, word for word.
  const start = TRADE_INTENT_TYPES.TradeIntent.length;
  const words = CERTIFICATE_TYPES.VerificationCertificate.map(({ name }, index) => {
    const at = 10 + (start + index) * WORD;
    return [name, `0x${data.slice(at, at + WORD)}`] as const;
  });
  const { evidenceHash = "", jobId = "", reportVersion = "" } = Object.fromEntries(words);
  if (reportVersion.length !== WORD + 2) return null;
  return { evidenceHash, jobId, reportVersion: BigInt(reportVersion).toString() };
}
