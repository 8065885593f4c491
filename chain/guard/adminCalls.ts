/** The guard's and its manager's admin functions as planned calls: whose role they need, what they change, what the views say after. */
import type { Interface } from "ethers";
import { GUARD_ABI, MANAGER_ABI } from "../abis.ts";
import { describeSelector } from "../dex/selectors.ts";
import type { RouteKey } from "./allowlists.ts";
import { ROLE_IDS, type Role } from "./manager.ts";
import type { GuardRoles } from "./roles.ts";
import { type Operation, operationId, type Scheduled } from "./schedule.ts";

/** A view of guard or manager and what it should say after the call. */
export interface Expectation {
  readonly what: string;
  readonly view: (typeof ADMIN_VIEWS)[number];
  readonly args: readonly string[];
  readonly value: string;
}

const MANAGER_VIEWS = ["hasRole", "getNonce", "getSchedule"] as const;

/** The views that expectations may ask. */
export const ADMIN_VIEWS = [
  "paused",
  "signer",
  "isRouteAllowed",
  "isRecipientAllowed",
  ...MANAGER_VIEWS,
] as const;

/** The manager's functions that planned calls use; all others are the guard's. */
const OF_MANAGER = new Set<string>([
  "schedule",
  "execute",
  "cancel",
  "grantRole",
  "revokeRole",
  ...MANAGER_VIEWS,
]);

export interface AdminCall {
  /** The function, of the guard or of its manager. */
  readonly name: string;
  readonly args: readonly CallArgument[];
  /** Any of these may call it; the first one is asked for first. */
  readonly roles: readonly Role[];
  /** The one account that may, where a role does not suffice. */
  readonly only?: string;
  /** What it does, for people. */
  readonly line: string;
  /** The difference it makes. */
  readonly change: { readonly what: string; readonly from: string; readonly to: string };
  readonly expects: readonly Expectation[];
}
type CallArgument = string | boolean;

export function contractOf(
  name: string,
  { guard, manager }: Pick<GuardRoles, "guard" | "manager">,
): { readonly address: string; readonly abi: Interface } {
  return OF_MANAGER.has(name) ? { address: manager, abi: MANAGER_ABI } : { address: guard, abi: GUARD_ABI };
}

/** Call data, and the contract that it goes to. */
export function encodeAdminCall(
  { name, args }: Pick<AdminCall, "name" | "args">,
  place: Pick<GuardRoles, "guard" | "manager">,
): { readonly to: string; readonly data: string } {
  const { address: to, abi } = contractOf(name, place);
  return { to, data: abi.encodeFunctionData(name, [...args]) };
}

const says = (what: string, view: Expectation["view"], value: string, ...args: string[]): Expectation => ({
  what,
  view,
  args,
  value,
});

const trades = (was: boolean, paused: boolean) => ({
  change: { what: "trading", from: trading(was), to: trading(paused) },
  expects: [says("paused", "paused", String(paused))],
});

/** An entry of a list of the guard comes or goes. */
const lists = (what: string, view: Expectation["view"], args: string[], allowed: boolean) => ({
  args,
  roles: [allowed ? "operator" : "pauser"] as const,
  change: { what, from: listing(!allowed), to: listing(allowed) },
  expects: [says(`${what} allowed`, view, String(allowed), ...args)],
});

export function pauseCall(roles: Pick<GuardRoles, "paused">): AdminCall {
  const line = "stop all trading";
  return { name: "pause", args: [], roles: ["pauser"], line, ...trades(roles.paused, true) };
}

export function unpauseCall(roles: Pick<GuardRoles, "paused">): AdminCall {
  const line = "allow trading again";
  return { name: "unpause", args: [], roles: ["operator"], line, ...trades(roles.paused, false) };
}

export function rotateSignerCall(roles: Pick<GuardRoles, "signer">, newSigner: string): AdminCall {
  return {
    name: "rotateSigner",
    args: [newSigner],
    roles: ["operator"],
    line: `make ${newSigner} the attestation key; certificates of ${roles.signer} end at once`,
    change: { what: "attestation key", from: roles.signer, to: newSigner },
    expects: [says("signer", "signer", newSigner)],
  };
}

/** @param label name or source of the route, where known */
export function setRouteCall(key: RouteKey, allowed: boolean, label: string | null = null): AdminCall {
  const { route, selector } = key;
  const name = label === null ? "" : ` (${label})`;
  return {
    name: allowed ? "allowRoute" : "disallowRoute",
    line: `${allowed ? "allow" : "disallow"} route ${route}${name}, ${describeSelector(selector)}`,
    ...lists(`route ${route} ${selector}`, "isRouteAllowed", [route, selector], allowed),
  };
}

export function setRecipientCall(recipient: string, allowed: boolean): AdminCall {
  return {
    name: allowed ? "allowRecipient" : "disallowRecipient",
    line: `${allowed ? "allow" : "disallow"} recipient ${recipient}`,
    ...lists(`recipient ${recipient}`, "isRecipientAllowed", [recipient], allowed),
  };
}

/** @param delay seconds that the account's calls will have to wait */
export function grantRoleCall(role: Role, account: string, delay: number): AdminCall {
  const id = String(ROLE_IDS[role]);
  const waits = delay === 0 ? "" : `, whose calls wait ${delay} seconds`;
  return {
    name: "grantRole",
    args: [id, account, String(delay)],
    roles: ["admin"],
    line: `make ${account} ${named(role)}${waits}`,
    change: { what: `${role} ${account}`, from: "no", to: "yes" },
    expects: [says(`${account} is ${named(role)}`, "hasRole", `true,${delay}`, id, account)],
  };
}

export function revokeRoleCall(role: Role, account: string): AdminCall {
  const id = String(ROLE_IDS[role]);
  return {
    name: "revokeRole",
    args: [id, account],
    roles: ["admin"],
    line: `${account} is no longer ${named(role)}`,
    change: { what: `${role} ${account}`, from: "yes", to: "no" },
    expects: [says(`${account} is ${named(role)}`, "hasRole", "false,0", id, account)],
  };
}

/** The first step of a call that has to wait. @param nonce how often the same was scheduled before */
export function scheduleCall(call: AdminCall, operation: Operation, nonce: number, delay: number): AdminCall {
  return {
    ...call,
    name: "schedule",
    args: [operation.target, operation.data, "0"],
    line: `schedule, to be executed after ${delay} seconds: ${call.line}`,
    expects: [says("times scheduled", "getNonce", String(nonce + 1), operationId(operation))],
  };
}

/** The second step. @param call whose views are read back; without it the manager alone is asked */
export function executeCall(operation: Operation, words: string, call?: AdminCall): AdminCall {
  return {
    name: "execute",
    args: [operation.target, operation.data],
    only: operation.caller,
    roles: [],
    line: call?.line ?? `execute ${words}`,
    change: call?.change ?? { what: words, from: "scheduled", to: "executed" },
    expects: [...(call?.expects ?? []), says("scheduled for", "getSchedule", "0", operationId(operation))],
  };
}

export function cancelCall({ caller, target, data }: Scheduled, words: string): AdminCall {
  return {
    name: "cancel",
    args: [caller, target, data],
    roles: ["pauser", "operator", "admin"],
    line: `cancel ${words}`,
    change: { what: words, from: "scheduled", to: "nothing" },
    expects: [says("scheduled for", "getSchedule", "0", operationId({ caller, target, data }))],
  };
}

/** `a pauser` */
export const named = (role: Role): string => (role === "pauser" ? "a pauser" : `an ${role}`);

function trading(paused: boolean): string {
  return paused ? "paused" : "on";
}

function listing(allowed: boolean): string {
  return allowed ? "allowed" : "not allowed";
}
