/** Whether and when a call may be repeated. */
import { ServiceError } from "./clientErrors.ts";

/**
 * `always`: repeating it changes nothing, so every passing failure may be tried again.
 * `refused`: alone where the service says that it has not begun (429, or 409 while a payment settles).
 * `answered`: also where the service has answered that it could not, and when to come again (503 with Retry-After).
 */
export type Repeatable = "always" | "refused" | "answered";

export interface RetryDeps {
  /** How often a call is repeated at most. */
  readonly retries: number;
  /** Milliseconds that a call may spend waiting, in sum. */
  readonly patienceMs: number;
  /** Resolves after so many milliseconds. */
  readonly sleep: (ms: number) => Promise<void>;
}

/** Where the service does not say how long to wait: so long, and twice as long with each attempt. */
const FIRST_WAIT_MS = 500;
/** The service counts in whole seconds of its own clock. */
const MARGIN_MS = 100;

/**
 * @param attempt one try; throws `ServiceError`
 * @returns what an attempt answers
 * @throws the last attempt's error, at once where waiting would take more patience than is left
 */
export async function withRetries<T>(
  deps: RetryDeps,
  repeatable: Repeatable,
  attempt: () => Promise<T>,
): Promise<T> {
  let patience = deps.patienceMs;
  for (let round = 0; ; round++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ServiceError) || round >= deps.retries || !passes(error, repeatable))
        throw error;
      const wait =
        error.retryAfterSeconds === null
          ? FIRST_WAIT_MS * 2 ** round
          : error.retryAfterSeconds * 1_000 + MARGIN_MS;
      if (wait > patience) throw error;
      patience -= wait;
      await deps.sleep(wait);
    }
  }
}

const PAYMENT_IN_PROGRESS = "payment_in_progress";

/** A timeout is not retried: the caller has waited long enough. */
function passes({ status, code, retryAfterSeconds }: ServiceError, repeatable: Repeatable): boolean {
  if (status === 429 || code === PAYMENT_IN_PROGRESS) return true;
  if (repeatable === "answered") return status === 503 && retryAfterSeconds !== null;
  return repeatable === "always" && (status === 503 || code === "unreachable");
}

/**
 * Seconds of a Retry-After header, in both of its forms.
 * @param now Unix milliseconds
 * @returns null where there is none that makes sense
 */
export function retryAfterOf(header: string | null, now: number): number | null {
  if (header === null) return null;
  const text = header.trim();
  if (/^[0-9]{1,9}$/.test(text)) return Number(text);
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now) / 1_000));
}
