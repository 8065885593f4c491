/**
 * Protects the service from a key that is kept elsewhere: limits concurrent calls, and after failures in a row makes no
 * calls until a probe has signed again. Callers meanwhile get a 503 at once, and never wait for a backend that does not
 * answer.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { AttestorError } from "../../attestor/values/attestorErrors.ts";
import { Problem } from "../http/problems.ts";
import type { Logger } from "../metrics/logger.ts";
import { faultText, isWrongAnswer } from "./backend.ts";

/** So many calls may wait for a backend. */
const MOST_AT_ONCE = 32;
/** Failures in a row after which only probes are sent. */
const FAILURES = 3;
const FIRST_PROBE_MS = 250;
const SLOWEST_PROBE_MS = 5_000;

/** To a client: 503 `unavailable`, with Retry-After. */
export class SignerUnavailable extends Problem {
  constructor(what: string, retryMs: number, cause?: unknown) {
    super("unavailable", `${what} cannot sign at the moment; try again.`, {
      retryAfterSeconds: retryMs / 1_000,
      cause,
    });
    this.name = "SignerUnavailable";
  }
}

export interface AvailabilityDeps {
  /** Whose name clients read: "The attestation key". */
  readonly what: string;
  /** Signs something that nobody can use, and rejects where that fails. */
  probe(): Promise<unknown>;
  readonly logger: Pick<Logger, "error" | "info">;
}

interface State {
  running: number;
  failures: number;
  fault: string | null;
  /** Until the next probe. */
  probeMs: number;
  probing: Promise<void> | null;
}

export function watchAvailability(deps: AvailabilityDeps) {
  const ending = new AbortController();
  const state: State = { running: 0, failures: 0, fault: null, probeMs: FIRST_PROBE_MS, probing: null };

  function recovered(): void {
    if (state.fault !== null) deps.logger.info({ key: deps.what }, "the key signs again");
    Object.assign(state, { failures: 0, fault: null, probeMs: FIRST_PROBE_MS });
  }

  function failed(error: unknown): void {
    const fault = faultText(error);
    if (isWrongAnswer(error))
      deps.logger.error({ key: deps.what, fault }, "a wrong answer of the key's backend was thrown away");
    else if (fault !== state.fault) deps.logger.error({ key: deps.what, fault }, "the key cannot sign");
    state.fault = fault;
    state.failures++;
    startProbing();
  }

  function startProbing(): void {
    if (ending.signal.aborted) return;
    state.probing ??= probe().finally(() => {
      state.probing = null;
      // It may have failed again since the probe looked.
      if (state.fault !== null) startProbing();
    });
  }

  async function probe(): Promise<void> {
    while (state.fault !== null && !ending.signal.aborted) {
      await sleep(state.probeMs, undefined, { signal: ending.signal, ref: false }).catch(() => {});
      if (state.fault === null || ending.signal.aborted) return;
      state.probeMs = Math.min(state.probeMs * 2, SLOWEST_PROBE_MS);
      await deps.probe().then(recovered, failed);
    }
  }

  const unavailable = (cause?: unknown) => new SignerUnavailable(deps.what, state.probeMs, cause);
  function assert(): void {
    if (state.failures >= FAILURES) throw unavailable();
  }
  return {
    /** @throws SignerUnavailable for any failure; AttestorError `invalid_certificate` as it is */
    async run<T>(work: () => Promise<T>): Promise<T> {
      assert();
      if (state.running >= MOST_AT_ONCE) throw unavailable();
      state.running++;
      try {
        const done = await work();
        recovered();
        return done;
      } catch (error) {
        if (error instanceof AttestorError && error.code === "invalid_certificate") throw error;
        failed(error);
        throw unavailable(error);
      } finally {
        state.running--;
      }
    },
    /** @throws SignerUnavailable while nothing is sent but probes */
    assert,
    /** Why the last call failed; null: it did not. */
    fault: () => state.fault,
    /** Resolves when no probe runs any more. */
    async stop() {
      ending.abort();
      await state.probing;
    },
  };
}
