/** What `assay-verify` exports: the trustless verification of reports, pure and without a network. */

export type { Fact, FactKind } from "../../attestor/factKinds.ts";
export { parseVkey, type VerifierKey } from "../../attestor/log/note.ts";
export type { Logged } from "../../attestor/log/verifyLog.ts";
export { type Policy, parsePolicies } from "../../attestor/policies/policy.ts";
export type { Header } from "../../attestor/proofs/header.ts";
export { type PublisherKeys, withPublisherKeys } from "../../attestor/publishers/publisherKeys.ts";
export type { Registry } from "../../attestor/registry.ts";
export type { Report } from "../../attestor/report.ts";
export { AttestorError, type AttestorErrorCode } from "../../attestor/values/attestorErrors.ts";
export { canonicalHash, canonicalJson } from "../../attestor/values/canonical.ts";
export type { Fault } from "../../attestor/values/fault.ts";
export { parseDocument } from "../../attestor/verify/document.ts";
export {
  guardNamed,
  headerIn,
  ReaderFault,
  type ReaderTexts,
  readerOptions,
  registryIn,
  signerNamed,
} from "../../attestor/verify/reader.ts";
export type { GuardName, KnownGuard, KnownKey, Reader } from "../../attestor/verify/trust.ts";
export type {
  Flag,
  Issuance,
  IssuerReason,
  Outcome,
  Reservation,
  Step,
  StepName,
  Verdict,
  Verification,
} from "../../attestor/verify/verification.ts";
export { verifyDocument, verifyReport } from "../../attestor/verify/verify.ts";
export { faultText, reservationText } from "../../attestor/view/stepWords.ts";
export { type SummaryLine, type SummaryOptions, sentenceOf, summaryOf } from "../../attestor/view/summary.ts";
