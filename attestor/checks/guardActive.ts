import { type Check, judged } from "./finding.ts";

/** The guard is not paused. */
export const guardActive: Check = (_policy, { guard }) =>
  judged(
    "guard-active",
    !guard.paused,
    guard.paused,
    false,
    `The guard is ${guard.paused ? "" : "not "}paused.`,
  );
