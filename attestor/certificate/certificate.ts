/** The certificate and the EIP-712 hashing of it and of the trade intent, as the guard does it. */
import * as z from "zod";
import { id, keccakOf } from "../evm/hash.ts";
import { addressWord, uintWord, wordOf } from "../evm/words.ts";
import type { TradeIntent } from "../intent.ts";
import type { Policy } from "../policies/policy.ts";
import type { Report } from "../report.ts";
import { Bytes32, Uint64 } from "../values/primitives.ts";
import TYPES from "./types.json" with { type: "json" };

/** The on-chain `VerificationCertificate`; numbers are decimal strings. Member order is the struct's. */
export const VerificationCertificate = z
  .strictObject({
    intentHash: Bytes32,
    evidenceHash: Bytes32,
    jobId: Bytes32,
    reportVersion: Uint64.describe("Version of the report that is certified"),
    issuedAt: Uint64.describe("From when the certificate holds, unix seconds"),
    expiresAt: Uint64.describe("Until when it holds, unix seconds"),
  })
  .meta({ id: "VerificationCertificate" });
export type VerificationCertificate = z.infer<typeof VerificationCertificate>;

export const { intent: TRADE_INTENT_TYPES, certificate: CERTIFICATE_TYPES, domain: DOMAIN_TYPES } = TYPES;

export interface GuardDomain {
  readonly name: "TradeGuard";
  readonly version: "1";
  readonly chainId: number;
  readonly verifyingContract: string;
}

export function guardDomain(chainId: number, guard: string): GuardDomain {
  return { name: "TradeGuard", version: "1", chainId, verifyingContract: guard };
}

/** What the owner of a relayed trade signs: as it stands the second parameter of `eth_signTypedData_v4`. */
export function tradeIntentTypedData(domain: GuardDomain, message: TradeIntent) {
  const types = { ...DOMAIN_TYPES, ...TRADE_INTENT_TYPES };
  return { domain, types, primaryType: "TradeIntent" as const, message };
}

const typeHash = (types: Record<string, { name: string; type: string }[]>): string =>
  id(
    Object.entries(types)
      .map(
        ([name, members]) =>
          `${name}(${members.map(({ type, name: member }) => `${type} ${member}`).join(",")})`,
      )
      .join(""),
  );

const DOMAIN_TYPE_HASH = typeHash(DOMAIN_TYPES);
const TRADE_INTENT_TYPE_HASH = typeHash(TRADE_INTENT_TYPES);
const CERTIFICATE_TYPE_HASH = typeHash(CERTIFICATE_TYPES);

export function domainSeparator(domain: GuardDomain): string {
  return keccakOf([
    DOMAIN_TYPE_HASH,
    id(domain.name),
    id(domain.version),
    uintWord(domain.chainId),
    addressWord(domain.verifyingContract),
  ]);
}

/** EIP-712 struct hash of a trade intent: the guard's `hashIntent`. */
export function hashIntent(intent: TradeIntent): string {
  return keccakOf([TRADE_INTENT_TYPE_HASH, ...intentWords(intent)]);
}

/** The members of a trade intent as the chain takes them, a word each. */
export function intentWords(intent: TradeIntent): string[] {
  return TRADE_INTENT_TYPES.TradeIntent.map(({ name, type }) =>
    wordOf(type, intent[name as keyof TradeIntent]),
  );
}

/** The members of a certificate as the chain takes them, a word each. */
export function certificateWords(certificate: VerificationCertificate): string[] {
  return CERTIFICATE_TYPES.VerificationCertificate.map(({ name, type }) =>
    wordOf(type, certificate[name as keyof VerificationCertificate]),
  );
}

/**
 * EIP-712 struct hash of a certificate: the guard's `hashCertificate`. All members are one word, so
 * the encoding is their concatenation.
 */
export function hashCertificate(certificate: VerificationCertificate): string {
  return keccakOf([CERTIFICATE_TYPE_HASH, ...certificateWords(certificate)]);
}

/** The digest that is signed: `keccak256(0x1901 ‖ domain separator ‖ struct hash)`. */
export function typedDataDigest(separator: string, structHash: string): string {
  return keccakOf(["0x1901", separator, structHash]);
}

/** The job id as the certificate and the guard's event carry it. */
export function jobIdHash(jobId: string): string {
  return id(jobId);
}

/** Binds a report to one trade intent. It counts from the quoted block, because the guard judges it by block time. */
export function certificateFor(
  policy: Policy,
  report: Report,
  tradeIntent: TradeIntent,
): VerificationCertificate {
  const issuedAt = report.evidence.chain.blockTimestamp;
  return {
    intentHash: hashIntent(tradeIntent),
    evidenceHash: report.evidenceHash,
    jobId: jobIdHash(report.jobId),
    reportVersion: String(report.version),
    issuedAt: String(issuedAt),
    expiresAt: String(issuedAt + policy.definition.certificateLifetimeSeconds),
  };
}
