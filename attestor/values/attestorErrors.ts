/**
 * What this room throws. `code` is stable and literal, so that a caller can decide by it;
 * how an error is shown to a client (status, wording) is the caller's business.
 */
export type AttestorErrorCode =
  | "not_canonical" // a value that RFC 8785 over strings and safe integers cannot carry
  | "invalid_evidence" // facts that do not fit the evidence schema
  | "invalid_registry"
  | "unknown_policy"
  | "invalid_policy"
  | "invalid_certificate" // what was to be signed is no certificate
  | "not_allowed" // a certificate was asked for a report that does not allow the trade
  | "not_a_document" // text that is not JSON, or that two readers could read differently
  | "invalid_input" // what a reader typed, or had in a file, is not what it is called
  | "invalid_proof" // a publisher's proof of a price that does not parse
  | "invalid_publisher_keys"
  | "wrong_signature" // a key backend gave what is no signature of its key over the certificate
  | "missing_package" // a key needs a package that the operator has not installed
  | "invalid_key"; // a signing key that cannot be read

export class AttestorError extends Error {
  readonly code: AttestorErrorCode;

  constructor(code: AttestorErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "AttestorError";
    this.code = code;
  }
}
