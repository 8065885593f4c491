/** The chain, or another service behind this one, cannot be reached or does not answer as it should. */
export class UpstreamUnavailable extends Error {
  readonly code = "upstream_unavailable";
  /** Seconds after which another try makes sense. */
  readonly retryAfterSeconds: number;

  constructor(message: string, options?: ErrorOptions & { retryAfterSeconds?: number }) {
    super(message, options);
    this.name = "UpstreamUnavailable";
    this.retryAfterSeconds = options?.retryAfterSeconds ?? 5;
  }
}

/** There is no guard where one should be. */
export class NoGuard extends Error {
  readonly code = "no_guard";

  override readonly name = "NoGuard";
}
