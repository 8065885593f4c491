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

export function pauseCall(roles: Pick<GuardRoles, "paused">): AdminCall {
  return {
    name: "pause",
    args: [],
    roles: ["pauser", "admin"],
    line: "stop all trading",
    change: { what: "trading", from: trading(roles.paused), to: trading(true) },
    expects: [{ what: "paused", view: "paused", args: [], value: "true" }],
  };
}

export function unpauseCall(roles: Pick<GuardRoles, "paused">): AdminCall {
  return {
    name: "unpause",
    args: [],
    roles: ["admin"],
    line: "allow trading again",
    change: { what: "trading", from: trading(roles.paused), to: trading(false) },
    expects: [{ what: "paused", view: "paused", args: [], value: "false" }],
  };
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
  return {
    name: "rotateSigner",
    args: [newSigner, String(overlapSeconds)],
    roles: ["admin"],
    line: `make ${newSigner} the attestation key; ${until}`,
    change: { what: "attestation key", from: roles.signer, to: newSigner },
    expects: [
      { what: "signer", view: "signer", args: [], value: newSigner },
      {
        what: "previous signer",
        view: "previousSigner",
        args: [],
        value: overlapSeconds === 0 ? ZeroAddress : roles.signer,
      },
    ],
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
    change: { what: "executor", from: roles.executor, to: next },
    expects: [{ what: "executor", view: "executor", args: [], value: next }],
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
    change: {
      what: `route ${route} ${selector}`,
      from: listing(!allowed),
      to: listing(allowed),
    },
    expects: [
      {
        what: `route ${route} ${selector} allowed`,
        view: "isRouteAllowed",
        args: [route, selector],
        value: String(allowed),
      },
    ],
  };
}

export function setRecipientCall(recipient: string, allowed: boolean): AdminCall {
  return {
    name: "setRecipient",
    args: [recipient, allowed],
    roles: ["admin"],
    line: `${allowed ? "allow" : "disallow"} recipient ${recipient}`,
    change: { what: `recipient ${recipient}`, from: listing(!allowed), to: listing(allowed) },
    expects: [
      {
        what: `recipient ${recipient} allowed`,
        view: "isRecipientAllowed",
        args: [recipient],
        value: String(allowed),
      },
    ],
  };
}

/** @param newPauser null for none */
export function setPauserCall(roles: Pick<GuardRoles, "pauser">, newPauser: string | null): AdminCall {
  return {
    name: "setPauser",
    args: [newPauser ?? ZeroAddress],
    roles: ["admin"],
    line: newPauser === null ? "have no pauser" : `make ${newPauser} the pauser`,
    change: { what: "pauser", from: roles.pauser ?? NOBODY, to: newPauser ?? NOBODY },
    expects: [{ what: "pauser", view: "pauser", args: [], value: newPauser ?? ZeroAddress }],
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
    change: { what: "pending admin", from: roles.pendingAdmin ?? NOBODY, to: newAdmin ?? NOBODY },
    expects: [{ what: "pending admin", view: "pendingAdmin", args: [], value: newAdmin ?? ZeroAddress }],
  };
}

/** @param roles with a pending admin */
export function acceptAdminCall(roles: Pick<GuardRoles, "admin" | "pendingAdmin">): AdminCall {
  const successor = roles.pendingAdmin ?? ZeroAddress;
  return {
    name: "acceptAdmin",
    args: [],
    roles: ["pending admin"],
    line: `${successor} takes over as the admin from ${roles.admin}`,
    change: { what: "admin", from: roles.admin, to: successor },
    expects: [
      { what: "admin", view: "admin", args: [], value: successor },
      { what: "pending admin", view: "pendingAdmin", args: [], value: ZeroAddress },
    ],
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
