import { type Check, judged, unavailable } from "./finding.ts";

/** What is left after the slippage is more than nothing: the guard refuses a minimum of zero. */
export const minimumOutput: Check = (_policy, { figures }) => {
  const minimum = figures.minAmountOutRaw;
  if (minimum === null) return unavailable("minimum-output", 1, "The least output is not known: no route.");
  return judged(
    "minimum-output",
    minimum !== "0",
    minimum,
    1,
    `The recipient gets at least ${minimum} raw units; at least 1 is needed.`,
  );
};
