/** What operators measure of the decision log. */
import { type Family, gaugeOf } from "../metrics/instruments.ts";
import type { LogState } from "./state.ts";

/** @param nowMs unix milliseconds */
export function logFamilies(state: LogState, nowMs: number): Family[] {
  const labels = { log: state.name ?? "none" };
  const gauge = (name: string, help: string, value: number): Family =>
    gaugeOf(`assay_log_${name}`, help, [[labels, value]]);
  return [
    gauge("entries", "Entries of the running decision log that have their place.", state.size),
    gauge("waiting_entries", "Entries that wait for their place; counted up to 10,000.", state.waiting),
    gauge("signed_entries", "Entries of its newest signed checkpoint.", state.signedSize),
    gauge("cosigned_entries", "Entries of its newest cosigned checkpoint.", state.cosignedSize),
    gauge(
      "unsigned_seconds",
      "Seconds since the newest checkpoint while entries wait for another; 0: none wait.",
      state.size > state.signedSize ? Math.max(0, (nowMs - (state.signedAt ?? nowMs)) / 1_000) : 0,
    ),
    gauge("refused", "1: it is not signed any more, see docs/log.md.", state.refused === null ? 0 : 1),
  ];
}
