import { type Check, judged } from "./finding.ts";

/** The output goes to the owner, or to a recipient that the guard allows. */
export const recipient: Check = (_policy, { guard, intent }) =>
  judged(
    "recipient",
    guard.recipientAllowed,
    guard.recipientAllowed,
    true,
    `The recipient ${intent.recipientAddress} is ${guard.recipientAllowed ? "" : "neither the owner nor "}allowed by the guard.`,
  );
