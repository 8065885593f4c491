/** What `assay-verify` exports: the trustless verification of reports, pure and without a network. */

export { countsOf, type Fact, type FactCounts, type FactKind } from "../../attestor/factKinds.ts";
export { parseVkey, type VerifierKey } from "../../attestor/log/note.ts";
export type { Logged } from "../../attestor/log/verifyLog.ts";
export { type Policy, parsePolicies } from "../../attestor/policies/policy.ts";
export type { Header } from "../../attestor/proofs/header.ts";
export { type PublisherKeys, withPublisherKeys } from "../../attestor/publishers/publisherKeys.ts";
export type { Registry } from "../../attestor/registry.ts";
export type { Report } from "../../attestor/report.ts";
export { type Outcome, type Step, sentenceOf, type Verdict } from "../../attestor/steps.ts";
export { AttestorError, type AttestorErrorCode } from "../../attestor/values/attestorErrors.ts";
export { canonicalHash, canonicalJson } from "../../attestor/values/canonical.ts";
export { parseDocument } from "../../attestor/verify/document.ts";
export type { GuardName, Issuance, KnownGuard, KnownKey, Trust } from "../../attestor/verify/issuer.ts";
export {
  guardNamed,
  headerIn,
  ReaderFault,
  type ReaderTexts,
  readerOptions,
  registryIn,
  signerNamed,
} from "../../attestor/verify/reader.ts";
export {
  type Verification,
  type VerifyOptions,
  verifyDocument,
  verifyReport,
} from "../../attestor/verify/verify.ts";
