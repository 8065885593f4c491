/** Step `issuer`: who issued a document, and whether the reader has a reason to trust that key. */

import type { Evidence } from "../evidence/evidence.ts";
import { executorOf } from "../evm/address.ts";
import type { Logged } from "../log/verifyLog.ts";
import { LOCAL_CHAIN_ID } from "../publishers/publisherKeys.ts";
import type { Params } from "../values/fault.ts";
import { knownGuard, type Reader, type Standing, sameAddress } from "./trust.ts";
import type { Account, Issuance, IssuerReason } from "./verification.ts";

/** Who stands for a document. */
interface Signed {
  readonly issuance: Issuance | null;
  readonly isSigned: boolean;
  readonly logged: Logged | null;
  readonly awaited: string | null;
}

/** Holds the guard that a report names against the one that the reader named, and its executor against its address. */
export function guardFaults({ chain, guard }: Evidence, reader: Reader, account: Account): void {
  const { chainId } = chain;
  const named = reader.guard;
  if (named !== undefined && (named.chainId !== chainId || !sameAddress(named.address, guard.address)))
    account.wrong("issuer", "guard_other", {
      guard: guard.address,
      chainId,
      named: named.address,
      namedChainId: named.chainId,
    });
  if (chainId === LOCAL_CHAIN_ID) account.trust("issuer", "local_keys", { chainId });
  const executor = executorOf(guard.address);
  if (!sameAddress(executor, guard.executor))
    account.wrong("issuer", "executor_other", { guard: guard.address, executor, claimed: guard.executor });
}

/**
 * Decides between VALID and UNVERIFIABLE.
 * @param issuance null where nothing is signed, or the signature does not hold
 * @param isSigned whether the document has an execution at all
 * @param awaited the job of a report whose entry in the log was not signed yet when it was saved; null of any other
 * @param standing null where the chain was not asked
 * @param logged where a log that the reader trusts has the report; null: in none. The report names the key that signed, so
 *   who trusts the log's word for the report has it for the key
 * @returns why the reader may trust the issuer; null where there is no reason
 */
export function issuerStep(
  reader: Reader,
  { issuance, isSigned, logged, awaited }: Signed,
  standing: Standing | null,
  account: Account,
): IssuerReason | null {
  account.ask("issuer");
  if (!isSigned) {
    if (logged !== null) return { code: "issued_by_log", params: { ...logged } };
    if (awaited !== null) account.unknown("issuer", "proof_awaited", { jobId: awaited });
    else account.unknown("issuer", "unsigned");
    return null;
  }
  // Step `certificate` tells what is wrong with the signature.
  if (issuance === null) return null;
  guardReservation(reader, issuance, account);
  const { signer } = issuance;
  if (reader.signer !== undefined && !sameAddress(reader.signer, signer)) {
    account.wrong("issuer", "signer_other", { signer, trusted: reader.signer });
    return null;
  }
  const reason = reasonToTrust(reader, issuance, standing, logged);
  if (!("missing" in reason)) return reason;
  account.unknown("issuer", reason.missing, { signer, ...reason.params });
  return null;
}

/** A wallet approves tokens to the guard: where nobody but the issuer names the contract, it may be any. */
function guardReservation(reader: Reader, { chainId, guard }: Issuance, account: Account): void {
  const record = knownGuard(reader, { chainId, address: guard });
  const isKnown = reader.guard !== undefined || (record !== undefined && !record.isServices);
  if (!isKnown) account.trust("issuer", "guard_of_service", { guard, chainId }, "guard");
}

type Reason = IssuerReason | { readonly missing: string; readonly params: Params };

function reasonToTrust(
  reader: Reader,
  { signer, ...place }: Issuance,
  standing: Standing | null,
  logged: Logged | null,
): Reason {
  const record = knownGuard(reader, { chainId: place.chainId, address: place.guard });
  const isNobodyNamed = reader.guard === undefined && reader.signer === undefined;
  if (isNobodyNamed && record === undefined && logged === null)
    return { missing: "nobody_trusted", params: {} };
  const recordName = record?.record ?? "";
  const by = wordOf(reader, recordName, logged, signer);
  const byLog: IssuerReason | null =
    logged === null ? null : { code: "issued_by_logged_key", params: { signer, ...logged } };
  if (standing !== null && standing.kind !== "unsettled") return reasonOnChain(standing, by, byLog);

  const key = record?.keys.findLast(({ address }) => sameAddress(address, signer));
  const hasEnded = key !== undefined && key.endedAt !== null;
  // Who has a key that was replaced can backdate a certificate, and no entry of the log.
  if (hasEnded && byLog !== null) return byLog;
  if (hasEnded)
    return {
      missing: standing === null ? "key_ended" : "key_ended_unsettled",
      params: { record: recordName },
    };
  if (reader.signer !== undefined || key !== undefined) return by;
  if (byLog !== null) return byLog;
  if (standing !== null) return { missing: "key_unsettled", params: {} };
  if (record !== undefined && record.keys.length > 0)
    return { missing: "key_not_of_record", params: { record: recordName } };
  return { missing: "keys_unknown_offline", params: {} };
}

/** By whose word the key counts: the reader's own comes before a record's, and that before a log's. */
function wordOf(reader: Reader, record: string, logged: Logged | null, signer: string): IssuerReason {
  if (reader.signer !== undefined) return { code: "issued_by_trusted_key", params: { signer } };
  if (reader.guard !== undefined) return { code: "issued_by_guards_key", params: { signer } };
  if (record !== "") return { code: "issued_by_recorded_key", params: { signer, record } };
  return { code: "issued_by_logged_key", params: { signer, ...logged } };
}

function reasonOnChain(
  standing: Exclude<Standing, { kind: "unsettled" }>,
  by: IssuerReason,
  byLog: IssuerReason | null,
): Reason {
  if (standing.kind === "current") return { code: `${by.code}_today`, params: by.params };
  if (standing.executed) return { code: `${by.code}_executed`, params: by.params };
  return byLog ?? { missing: "key_former", params: {} };
}
