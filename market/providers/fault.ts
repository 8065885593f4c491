/** The one error of every upstream. */
import type { z } from "zod";

export type FaultCode =
  | "timeout"
  | "network"
  | "status"
  | "rate_limited"
  | "not_json"
  | "shape"
  | "circuit_open"
  | "too_large";

export interface FaultDetails {
  /** HTTP status, where there was an answer. */
  readonly status?: number;
  /** Milliseconds until the provider wants to be asked again. */
  readonly retryAfterMs?: number;
  /** Of a wrong shape: which of the fields that we read it is. */
  readonly field?: string;
  /** keccak256 of the answer, where it was read whole. */
  readonly rawHash?: string;
}

/**
 * An upstream that could not be asked or did not answer in its shape. It says who and what, and carries
 * no text of the other party: what a provider writes ends in no log and in no answer of ours.
 */
export class ProviderFault extends Error {
  readonly provider: string;
  readonly code: FaultCode;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly field: string | undefined;
  readonly rawHash: string | undefined;

  constructor(provider: string, code: FaultCode, details: FaultDetails = {}) {
    super(`${provider}: ${code}${details.status === undefined ? "" : ` (status ${details.status})`}`);
    this.name = "ProviderFault";
    this.provider = provider;
    this.code = code;
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
    this.field = details.field;
    this.rawHash = details.rawHash;
  }
}

/** Faults for which a retry may help. A refusal (4xx) or a wrong shape would only repeat itself. */
export function isPassing(fault: unknown): boolean {
  if (!(fault instanceof ProviderFault)) return false;
  if (fault.code === "status") return (fault.status ?? 0) >= 500;
  return fault.code === "timeout" || fault.code === "network" || fault.code === "rate_limited";
}

/**
 * Faults that speak of a provider that is down. Not a refusal of this one question, and not a 429: that
 * provider is well and has said when to come again.
 */
export function isOutage(fault: unknown): boolean {
  if (!(fault instanceof ProviderFault)) return false;
  return fault.code === "not_json" || (fault.code !== "rate_limited" && isPassing(fault));
}

type Issue = z.ZodError["issues"][number];

/** Which field of an answer is not as expected, in the names of our own schemas: `data.[].price`; `answer`: the whole. */
export function fieldOf(error: z.ZodError): string {
  return pathOf(error.issues[0]) || "answer";
}

function pathOf(issue: Issue | undefined): string {
  if (!issue) return "";
  const outer = issue.path.map((part) => (typeof part === "number" ? "[]" : String(part)));
  // Of several forms that would do, the first is the one that is hoped for.
  const inner = issue.code === "invalid_union" ? pathOf(issue.errors[0]?.[0]) : "";
  return [...outer, ...(inner ? [inner] : [])].join(".");
}
