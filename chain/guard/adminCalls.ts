/** The guard's admin functions as planned calls: who may make them, what they change, what the views say after. */
import { ZeroAddress } from "ethers";
import { describeSelector } from "../dex/selectors.ts";
import type { RouteKey } from "./allowlists.ts";
import type { GuardRoles } from "./roles.ts";

export type Role = "admin" | "pauser" | "pending admin";

/** A view of the guard and what it should say after the call. */
export interface Expectation {
  readonly what: string;
  readonly view: (typeof GUARD_VIEWS)[number];
  readonly args: readonly string[];
  readonly value: string;
}

/** The views that expectations may ask. */
export const GUARD_VIEWS = [
  "executor",
  "paused",
  "signer",
  "previousSigner",
  "admin",
  "pendingAdmin",
  "pauser",
  "isRouteAllowed",
  "isRecipientAllowed",
] as const;

export interface AdminCall {
  /** The guard's function. */
  readonly name: string;
  readonly args: readonly (string | boolean)[];
  /** Any of these may call it; the first one is asked for first. */
  readonly roles: readonly Role[];
  /** What it does, for people. */
  readonly line: string;
  /** The difference it makes. */
  readonly change: { readonly what: string; readonly from: string; readonly to: string };
  readonly expects: readonly Expectation[];
}

const NOBODY = "nobody";

/** What one view of the guard will say. */
const says = (what: string, view: Expectation["view"], value: string, ...args: string[]): Expectation => ({
  what,
  view,
  args,
  value,
});

/** A holder of the guard changes: for people nobody is a word, and on the chain the zero address. */
const becomes = (what: string, view: Expectation["view"], from: string | null, to: string | null) => ({
  change: { what, from: from ?? NOBODY, to: to ?? NOBODY },
  expects: [says(what, view, to ?? ZeroAddress)],
});

/** Trading begins or ends. */
const trades = (was: boolean, paused: boolean) => ({
  change: { what: "trading", from: trading(was), to: trading(paused) },
  expects: [says("paused", "paused", String(paused))],
});

/** An entry of a list of the guard comes or goes. */
const lists = (what: string, view: Expectation["view"], args: string[], allowed: boolean) => ({
  change: { what, from: listing(!allowed), to: listing(allowed) },
  expects: [says(`${what} allowed`, view, String(allowed), ...args)],
});

export function pauseCall(roles: Pick<GuardRoles, "paused">): AdminCall {
  const line = "stop all trading";
  return { name: "pause", args: [], roles: ["pauser", "admin"], line, ...trades(roles.paused, true) };
}

export function unpauseCall(roles: Pick<GuardRoles, "paused">): AdminCall {
  const line = "allow trading again";
  return { name: "unpause", args: [], roles: ["admin"], line, ...trades(roles.paused, false) };
}

/**
 * @param overlapSeconds 0 to 3600; certificates of the old key count so much longer
 */
export function rotateSignerCall(
  roles: Pick<GuardRoles, "signer">,
  newSigner: string,
  overlapSeconds: number,
): AdminCall {
  const until =
    overlapSeconds === 0
      ? "the old key stops counting at once"
      : `the old key counts for another ${overlapSeconds} seconds`;
  const previous = overlapSeconds === 0 ? ZeroAddress : roles.signer;
  return {
    name: "rotateSigner",
    args: [newSigner, String(overlapSeconds)],
    roles: ["admin"],
    line: `make ${newSigner} the attestation key; ${until}`,
    change: { what: "attestation key", from: roles.signer, to: newSigner },
    expects: [says("signer", "signer", newSigner), says("previous signer", "previousSigner", previous)],
  };
}

/**
 * @param next where the guard will deploy the executor that it uses from then on
 */
export function renewExecutorCall(roles: Pick<GuardRoles, "executor">, next: string): AdminCall {
  return {
    name: "renewExecutor",
    args: [],
    roles: ["admin"],
    line: `use a fresh executor, ${next}; certificates issued before then are refused`,
    ...becomes("executor", "executor", roles.executor, next),
  };
}

/** @param label name or source of the route, where known */
export function setRouteCall(key: RouteKey, allowed: boolean, label: string | null = null): AdminCall {
  const { route, selector } = key;
  const name = label === null ? "" : ` (${label})`;
  return {
    name: "setRoute",
    args: [route, selector, allowed],
    roles: ["admin"],
    line: `${allowed ? "allow" : "disallow"} route ${route}${name}, ${describeSelector(selector)}`,
    ...lists(`route ${route} ${selector}`, "isRouteAllowed", [route, selector], allowed),
  };
}

export function setRecipientCall(recipient: string, allowed: boolean): AdminCall {
  return {
    name: "setRecipient",
    args: [recipient, allowed],
    roles: ["admin"],
    line: `${allowed ? "allow" : "disallow"} recipient ${recipient}`,
    ...lists(`recipient ${recipient}`, "isRecipientAllowed", [recipient], allowed),
  };
}

/** @param newPauser null for none */
export function setPauserCall(roles: Pick<GuardRoles, "pauser">, newPauser: string | null): AdminCall {
  return {
    name: "setPauser",
    args: [newPauser ?? ZeroAddress],
    roles: ["admin"],
    line: newPauser === null ? "have no pauser" : `make ${newPauser} the pauser`,
    ...becomes("pauser", "pauser", roles.pauser, newPauser),
  };
}

/** @param newAdmin null withdraws a proposal */
export function transferAdminCall(
  roles: Pick<GuardRoles, "pendingAdmin">,
  newAdmin: string | null,
): AdminCall {
  return {
    name: "transferAdmin",
    args: [newAdmin ?? ZeroAddress],
    roles: ["admin"],
    line:
      newAdmin === null
        ? "withdraw the proposal of a new admin"
        : `propose ${newAdmin} as the new admin, who then has to accept`,
    ...becomes("pending admin", "pendingAdmin", roles.pendingAdmin, newAdmin),
  };
}

/** @param roles with a pending admin */
export function acceptAdminCall(roles: Pick<GuardRoles, "admin" | "pendingAdmin">): AdminCall {
  const successor = roles.pendingAdmin ?? ZeroAddress;
  const { change, expects } = becomes("admin", "admin", roles.admin, successor);
  return {
    name: "acceptAdmin",
    args: [],
    roles: ["pending admin"],
    line: `${successor} takes over as the admin from ${roles.admin}`,
    change,
    expects: [...expects, says("pending admin", "pendingAdmin", ZeroAddress)],
  };
}

/** Who holds a role now; null: nobody. */
export function holderOf(role: Role, roles: GuardRoles): string | null {
  if (role === "admin") return roles.admin;
  return role === "pauser" ? roles.pauser : roles.pendingAdmin;
}

function trading(paused: boolean): string {
  return paused ? "paused" : "on";
}

function listing(allowed: boolean): string {
  return allowed ? "allowed" : "not allowed";
}
