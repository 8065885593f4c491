/** What operators measure of the decision log. */
import { type Family, gaugeFor } from "../metrics/instruments.ts";
import type { LogState } from "./state.ts";

/**
 * @param state null: it cannot be read at the moment, and the metrics have no values
 * @param nowMs unix milliseconds
 */
export function logFamilies(state: LogState | null, nowMs: number): Family[] {
  const samples = (value: (state: LogState) => number | null) => {
    const read = state && value(state);
    return read === null ? [] : [[{ log: state?.name ?? "none" }, read] as const];
  };
  const age = ({ signedAt }: LogState) => Math.max(0, (nowMs - (signedAt ?? nowMs)) / 1_000);
  return [
    gaugeFor(
      "assay_log_entries",
      samples(({ size }) => size),
    ),
    gaugeFor(
      "assay_log_waiting_entries",
      samples(({ waiting }) => waiting),
    ),
    gaugeFor(
      "assay_log_signed_entries",
      samples(({ signedSize }) => signedSize),
    ),
    gaugeFor(
      "assay_log_cosigned_entries",
      samples(({ cosignedSize }) => cosignedSize),
    ),
    gaugeFor(
      "assay_log_unsigned_seconds",
      samples((read) => (read.size > read.signedSize ? age(read) : 0)),
    ),
    gaugeFor(
      "assay_log_refused",
      samples(({ refused }) => (refused === null ? 0 : 1)),
    ),
    gaugeFor(
      "assay_log_checkpoint_age_seconds",
      samples((read) => (read.signedAt === null ? null : age(read))),
    ),
  ];
}
