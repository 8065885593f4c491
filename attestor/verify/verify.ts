/**
 * The method of verification, as its steps: a document is opened, its evidence hashed and judged again by a policy that
 * the reader knows, and what was signed is built again and compared. Nothing here reads the network, a clock, the
 * environment or a file: what others say comes with the reader.
 */
import { EVIDENCE_SCHEMA, Evidence } from "../evidence/evidence.ts";
import { factsOf } from "../factKinds.ts";
import { canonicalHash } from "../values/canonical.ts";
import { asRecord, type JsonObject } from "../values/json.ts";
import { certificateStep, type Executable } from "./certificate.ts";
import { chainStep } from "./chain.ts";
import { type OpenedDocument, oddNumberIn, openDocument } from "./document.ts";
import { envelopeFaults, quotedName } from "./envelope.ts";
import { guardFaults, issuerStep } from "./issuer.ts";
import { judgementStep, sessionReservation } from "./judgement.ts";
import { logStep } from "./log.ts";
import { policyStep } from "./policy.ts";
import { registryStep } from "./registry.ts";
import { signaturesStep } from "./signatures.ts";
import { factReservations, stateStep } from "./state.ts";
import type { Reader } from "./trust.ts";
import { Account, type Issuance, type Verification } from "./verification.ts";

/** `verifyReport` of a document's text, which may be anything. */
export function verifyDocument(text: string, reader: Reader = {}): Verification {
  const account = new Account(reader.strict ?? false);
  let opened: OpenedDocument;
  try {
    opened = openDocument(text);
  } catch (error) {
    account.unknown("document", "unreadable", { reason: (error as Error).message });
    return ended(account, null);
  }
  const odd = oddNumberIn(opened.text);
  if (odd !== null) account.wrong("document", "odd_number", { number: odd });
  const { around } = opened;
  if (around.length > 0)
    account.leave("document", "members_unread", { members: around.map(quotedName).join(", ") });
  return verified(opened.value, reader, account);
}

/**
 * @param document parsed JSON: a report, with its `execution` or without, a prepare-execution answer, or a job with its
 *   report
 */
export function verifyReport(document: unknown, reader: Reader = {}): Verification {
  return verified(document, reader, new Account(reader.strict ?? false));
}

/** A verification that came to nothing, because there was no document. @param reason a sentence */
export function unreadable(reason: string): Verification {
  const account = new Account(false);
  account.unknown("document", "nothing_to_verify", { reason });
  return ended(account, null);
}

function verified(document: unknown, reader: Reader, account: Account): Verification {
  const opened = opening(document, account);
  if (opened === null) return ended(account, null);
  const { envelope, claimed } = opened;
  const evidenceHash = hashStep(opened, account);
  const evidence = evidenceHash === claimed.evidenceHash ? schemaFaults(opened.evidence, account) : null;
  const policy = evidence && policyStep(evidence, reader, account);
  if (evidence === null || policy === null) return ended(account, evidenceHash, reader);

  const report = judgementStep(evidence, policy, claimed, reader, account);
  envelopeFaults(envelope, claimed, report, account);
  const checked = signaturesStep(evidence, reader.publisherKeys, account);
  const isProved = stateStep(evidence, claimed.proofs, policy, reader, account);
  const facts = factsOf(checked, isProved);
  sessionReservation(evidence, facts, account);
  factReservations(facts, reader, account);
  const logged = logStep(claimed, report, reader, account);
  registryStep(evidence, reader, logged, account);

  const execution = envelope.execution ?? null;
  const executable = certificateStep(policy, report, execution, account);
  const issuance = issuanceOf(evidence, executable);
  guardFaults(evidence, reader, account);
  const standing = reader.chain?.standing ?? null;
  const signed = { issuance, isSigned: execution !== null, logged, awaited: awaitedProof(claimed) };
  const issuedBy = issuerStep(reader, signed, standing, account);
  chainStep(reader.chain, account);

  const { intentHash, executableUntil } = executable;
  return {
    ...account.conclude(),
    evidenceHash,
    report,
    facts,
    intentHash,
    executableUntil,
    logged,
    issuance,
    issuedBy,
  };
}

interface Opened {
  /** The document itself. */
  readonly envelope: JsonObject;
  /** The report in it, which may be the document itself. */
  readonly claimed: JsonObject;
  readonly evidence: JsonObject;
}

/** Step `document`: there is a report in it. */
function opening(document: unknown, account: Account): Opened | null {
  const envelope = asRecord(document);
  const claimed = asRecord(envelope?.report) ?? envelope;
  const evidence = asRecord(claimed?.evidence);
  if (!envelope || !claimed || !evidence || typeof claimed.evidenceHash !== "string") {
    account.unknown("document", "no_report");
    return null;
  }
  account.ask("document");
  return { envelope, claimed, evidence };
}

/** @returns the hash as recomputed; null for evidence that has none */
function hashStep({ evidence, claimed }: Opened, account: Account): string | null {
  account.ask("hash");
  let hash: string;
  try {
    hash = canonicalHash(evidence);
  } catch (error) {
    account.wrong("hash", "evidence_unhashable", { reason: (error as Error).message });
    return null;
  }
  if (hash !== claimed.evidenceHash)
    account.wrong("hash", "hash_other", { hash, claimed: String(claimed.evidenceHash) });
  return hash;
}

/** The evidence in its one form; null where it is not in it, or of a schema that this program does not know. */
function schemaFaults(claimed: JsonObject, account: Account): Evidence | null {
  if (claimed.schema !== EVIDENCE_SCHEMA) {
    const schema = typeof claimed.schema === "string" ? JSON.stringify(claimed.schema) : "none";
    account.unknown("document", "schema_unknown", { schema, known: EVIDENCE_SCHEMA });
    return null;
  }
  const parsed = Evidence.safeParse(claimed);
  // Parsing also brings text to its canonical form; evidence that is not in it already was not made by us.
  if (parsed.success && canonicalHash(parsed.data) === canonicalHash(claimed)) return parsed.data;
  const [issue] = parsed.error?.issues ?? [];
  account.wrong("document", "evidence_malformed", {
    member: issue?.path.join(".") ?? "",
    reason: issue?.message ?? "it is not in canonical form",
  });
  return null;
}

/** The job of a report that was saved before the log had signed its entry; null of any other. */
function awaitedProof({ jobId, log }: JsonObject): string | null {
  return asRecord(log)?.proof === null ? String(jobId) : null;
}

function issuanceOf({ chain, guard }: Evidence, { signer }: Executable): Issuance | null {
  return signer === null ? null : { chainId: chain.chainId, guard: guard.address, signer };
}

/** What a verification comes to that could not judge the evidence again. */
function ended(account: Account, evidenceHash: string | null, { chain }: Reader = {}): Verification {
  chainStep(chain, account);
  return {
    ...account.conclude(),
    isConsistent: false,
    evidenceHash,
    report: null,
    facts: [],
    intentHash: null,
    executableUntil: null,
    logged: null,
    issuance: null,
    issuedBy: null,
  };
}
