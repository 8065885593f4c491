/** Checks of what the guard would say to the trade. */
import { type Check, judged, unavailable } from "./check.ts";

/** The guard is not paused. */
export const guardActive: Check = {
  name: "guard-active",
  judge: (_policy, { guard }) =>
    judged(!guard.paused, guard.paused, false, `The guard is ${guard.paused ? "" : "not "}paused.`),
};

/** The guard would accept this service's certificate. */
export const guardSigner: Check = {
  name: "guard-signer",
  judge: (_policy, { guard }) =>
    judged(
      guard.signer === guard.attestor,
      guard.signer,
      guard.attestor,
      `The guard's signer is ${guard.signer}; this service signs as ${guard.attestor}.`,
    ),
};

/** A route exists, and the guard would call it. */
export const route: Check = {
  name: "route",
  judge: (_policy, { quote, guard }) => {
    if (quote === null) return unavailable(true, "No route trades this pair at this size.");
    return judged(
      guard.routeAllowed,
      guard.routeAllowed,
      true,
      `The route ${quote.routeName} (${quote.route}, ${quote.selector}) is ${guard.routeAllowed ? "" : "not "}on the guard's allowlist.`,
    );
  },
};

/** The output goes to the owner, or to a recipient that the guard allows. */
export const recipient: Check = {
  name: "recipient",
  judge: (_policy, { guard, intent }) =>
    judged(
      guard.recipientAllowed,
      guard.recipientAllowed,
      true,
      `The recipient ${intent.recipientAddress} is ${guard.recipientAllowed ? "" : "neither the owner nor "}allowed by the guard.`,
    ),
};
