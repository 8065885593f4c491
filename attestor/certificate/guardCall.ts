/** Calls of the guard and of the tokens that it trades, encoded as the chain takes them. */
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

/** What the guard's `execute` takes, in the order of its parameters. */
export interface ExecuteArguments {
  readonly intent: TradeIntent;
  readonly certificate: VerificationCertificate;
  /** The attestation key's, hexadecimal. */
  readonly certificateSignature: string;
  /** `0x`: the caller is the owner. Otherwise the owner's signature of the intent, and anybody may call. */
  readonly ownerSignature: string;
  readonly routeCallData: string;
}

const tuple = (members: readonly { type: string }[]) => `(${members.map(({ type }) => type).join(",")})`;

const INTENT_TUPLE = tuple(TRADE_INTENT_TYPES.TradeIntent);
const CERTIFICATE_TUPLE = tuple(CERTIFICATE_TYPES.VerificationCertificate);
const selectorOf = (signature: string) => id(signature).slice(0, 10);

const EXECUTE_SELECTOR = selectorOf(`execute(${INTENT_TUPLE},${CERTIFICATE_TUPLE},bytes,bytes,bytes)`);
const MANDATE_TRADE_SELECTOR = selectorOf(`trade(${INTENT_TUPLE},${CERTIFICATE_TUPLE},bytes,bytes)`);
const APPROVE_SELECTOR = selectorOf("approve(address,uint256)");

/** Call data of the guard's `execute`. */
export function executeCallData(args: ExecuteArguments): string {
  const { certificateSignature, ownerSignature, routeCallData } = args;
  return encodeCall(EXECUTE_SELECTOR, structWords(args), [
    certificateSignature,
    ownerSignature,
    routeCallData,
  ]);
}

/** Call data of a mandate module's `trade`, which an agent sends: it takes what `execute` takes from an owner who sends. */
export function mandateTradeCallData(args: Omit<ExecuteArguments, "ownerSignature">): string {
  return encodeCall(MANDATE_TRADE_SELECTOR, structWords(args), [
    args.certificateSignature,
    args.routeCallData,
  ]);
}

/** Both structs are of fixed length, so they stand word for word where the arguments begin. */
const structWords = ({ intent, certificate }: Pick<ExecuteArguments, "intent" | "certificate">) => [
  ...intentWords(intent),
  ...certificateWords(certificate),
];

/** Bytes of an owner's signature as wallets give it: r, s, and v of 27 or 28. */
const OWNER_SIGNATURE_BYTES = 65;

/** Where the owner's signature of the trade intent goes in the data of a call. */
export interface SignaturePlace {
  /** Of its first byte in the data, in bytes. */
  readonly offset: number;
  /** Bytes, which are zero before. */
  readonly length: number;
}

/**
 * Call data of `execute` that lacks the owner's signature alone, for a client that signs and sends without an ABI library.
 * A signature of another length has to be encoded anew.
 */
export function unsignedExecuteCallData(args: Omit<ExecuteArguments, "ownerSignature">): {
  readonly data: string;
  readonly ownerSignature: SignaturePlace;
} {
  const ownerSignature = `0x${"00".repeat(OWNER_SIGNATURE_BYTES)}`;
  const data = executeCallData({ ...args, ownerSignature });
  const paddedBytes = Math.ceil((args.certificateSignature.length - 2) / WORD_DIGITS) * WORD_BYTES;
  // The selector, the structs, the places of three byte strings, the length of the first with its bytes, and a length.
  const offset = SELECTOR_BYTES + (STRUCT_WORDS + 3 + 1) * WORD_BYTES + paddedBytes + WORD_BYTES;
  return { data, ownerSignature: { offset, length: OWNER_SIGNATURE_BYTES } };
}

const SELECTOR_BYTES = 4;
const WORD_BYTES = 32;
const WORD_DIGITS = 2 * WORD_BYTES;
const INTENT_WORDS = TRADE_INTENT_TYPES.TradeIntent.length;
const STRUCT_WORDS = INTENT_WORDS + CERTIFICATE_TYPES.VerificationCertificate.length;

/** Call data of a token's `approve`. @param amount raw units, decimal */
export function approveCallData(spender: string, amount: string): string {
  return encodeCall(APPROVE_SELECTOR, [addressWord(spender), uintWord(amount)]);
}

/** What the certificate in the data of an `execute` says; null where the data is none. */
export function certificateInCall(
  data: string,
): Pick<VerificationCertificate, "evidenceHash" | "jobId" | "reportVersion"> | null {
  if (!/^0x[0-9a-f]*$/.test(data) || !data.startsWith(EXECUTE_SELECTOR)) return null;
  const wordAt = (index: number) => {
    const start = EXECUTE_SELECTOR.length + index * WORD_DIGITS;
    return data.slice(start, start + WORD_DIGITS);
  };
  const wordsByField = CERTIFICATE_TYPES.VerificationCertificate.map(
    ({ name }, index) => [name, wordAt(INTENT_WORDS + index)] as const,
  );
  const { evidenceHash = "", jobId = "", reportVersion = "" } = Object.fromEntries(wordsByField);
  if (reportVersion.length !== WORD_DIGITS) return null;
  return {
    evidenceHash: `0x${evidenceHash}`,
    jobId: `0x${jobId}`,
    reportVersion: BigInt(`0x${reportVersion}`).toString(),
  };
}
