/** What a request to a provider is made with, and what comes of it. */
import type { UnixMs } from "../../attestor/values/time.ts";
import type { Clock } from "./clock.ts";
import type { RateGate, RateLimit, Turns, Use } from "./rate.ts";

/** Looks on while requests to providers run: how long, and how they end. */
export interface ProviderWatch {
  /** Runs one attempt: what it returns and throws (a ProviderFault) is its own. */
  attempt<T>(provider: string, run: () => Promise<T>): Promise<T>;
  /** A request that was not sent. @param reason `rate_limited`, `circuit_open` */
  refused(provider: string, reason: string): void;
}

export interface UpstreamOptions {
  /** Used in faults and records. */
  readonly name: string;
  /** A path prefix is kept: paths are appended to it. */
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  /** From 0 up to 1, for the jitter of the back-off. */
  readonly random: () => number;
  /** For one attempt, body included. */
  readonly timeoutMs: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Further headers of one attempt, for providers whose requests are signed with their time. */
  readonly sign?: (request: SignedParts) => Readonly<Record<string, string>>;
  readonly rate: RateLimit;
  /** Where others ask the provider too; by the rate alone without one. */
  readonly gate?: RateGate;
  /** What requests are for that say nothing else (`premium`). */
  readonly use?: Use;
  /** Attempts in all, the first included (default 3). */
  readonly attempts?: number;
  /** Decoded bytes of an answer (default 8 MiB). */
  readonly maxBytes?: number;
  /** Told how each attempt ended: `ok`, or the fault's code. */
  readonly onOutcome?: (outcome: Outcome) => void;
  readonly watch?: ProviderWatch;
  /** Told the bytes of each answer that was read whole. */
  readonly onAnswer?: (raw: Uint8Array) => void;
  /** The longest lock-out by the provider that a call waits for (default 30 s); beyond it the call fails. */
  readonly patienceMs?: number;
}

export interface Outcome {
  readonly provider: string;
  /** `ok`, `timeout`, `shape`, `status 503`. */
  readonly kind: string;
}

/** What a provider's signature is made over. */
export interface SignedParts {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Empty for a GET. */
  readonly body: string;
  readonly atMs: UnixMs;
}

export interface Answer<T> {
  readonly data: T;
  /** The body as it came, decoded from its transfer compression. */
  readonly raw: Uint8Array;
  /** Unix seconds, of the moment when the body was complete. */
  readonly receivedAt: number;
}

export interface RequestOptions<T> {
  /**
   * Reads an answer that the provider gives with an error status, such as "no route"; undefined when it
   * is none. The body is not validated.
   */
  readonly refusal?: (status: number, body: unknown) => T | undefined;
  /** Turns that were waited for already: the first attempt takes one. */
  readonly turns?: Turns;
}
