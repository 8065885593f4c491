/** `<chainId>.desired.json`: how an admin wants the guard to be. A member that is not there is not judged. */
import { z } from "zod";
import { Address, Text } from "../../attestor/values/primitives.ts";
import {
  type AdminCall,
  grantRoleCall,
  pauseCall,
  revokeRoleCall,
  setRecipientCall,
  setRouteCall,
} from "../../chain/guard/adminCalls.ts";
import { nameOf, RouteKey } from "../../chain/guard/allowlists.ts";
import type { GuardView } from "../../chain/guard/reading.ts";
import type { Records } from "../admin/records.ts";
import { CommandError } from "../errors.ts";
import { readJson } from "../files.ts";

const DesiredRoute = RouteKey.extend({
  /** For the reader; has no effect. */
  name: Text.max(80).optional(),
});

/** The entries of a list are unique, ignoring case. */
const once = <T>(name: (entry: T) => string) =>
  [
    (entries: readonly T[]) => new Set(entries.map(name)).size === entries.length,
    { message: "has an entry twice" },
  ] as const;

export const Desired = z.strictObject({
  /** When it is there, the guard of the deployment's record must be this one. */
  guard: Address.optional(),
  paused: z.boolean().optional(),
  /** The attestation key. */
  signer: Address.optional(),
  /** The one admin, who also operates and pauses. */
  admin: Address.optional(),
  /** The one pauser beside the admin; null: nobody. */
  pauser: Address.nullable().optional(),
  /** Seconds that the admin's calls have to wait. */
  delay: z.int().min(0).optional(),
  /** All of them: what is allowed and not listed is one too many. */
  routes: z
    .array(DesiredRoute)
    .refine(...once<RouteKey>(nameOf))
    .optional(),
  recipients: z
    .array(Address)
    .refine(...once<string>((entry) => entry))
    .optional(),
});
export type Desired = z.infer<typeof Desired>;

/** @returns null when there is no such file. @throws CommandError `unreadable_file` */
export async function readDesired(records: Records, guard: string): Promise<Desired | null> {
  const path = records.path("desired.json");
  const desired = await readJson(path, Desired);
  if (desired?.guard !== undefined && desired.guard !== guard)
    throw new CommandError(
      "unreadable_file",
      `${path} is about the guard ${desired.guard}, and this is ${guard}.`,
    );
  return desired;
}

/** @throws CommandError `unreadable_file` also when there is no such file */
export async function requireDesired(records: Records, guard: string): Promise<Desired> {
  const desired = await readDesired(records, guard);
  if (desired !== null) return desired;
  throw new CommandError(
    "unreadable_file",
    `There is no ${records.path("desired.json")}: it says what state the guard should be in (deployments/README.md).`,
  );
}

export interface Drift {
  /** `pauser`, `route 0x… 0x…`, `attestor key`. */
  readonly what: string;
  readonly isNow: string;
  readonly shouldBe: string;
}

/**
 * @param attestor the address that the service here would sign with; null: not known here
 * @param desired null: there is no file, so only the attestor is judged
 */
export function driftOf(view: GuardView, desired: Desired | null, attestor: string | null): Drift[] {
  const drift: Drift[] = [];
  const compare = (what: string, isNow: string | null, shouldBe: string | null | undefined) => {
    if (shouldBe !== undefined && isNow !== shouldBe)
      drift.push({ what, isNow: isNow ?? "nobody", shouldBe: shouldBe ?? "nobody" });
  };
  if (desired !== null) {
    compare("trading", tradingOf(view.paused), mapped(desired.paused, tradingOf));
    compare("attestation key", view.signer, desired.signer);
    compare("admin", listed(adminsOf(view)), desired.admin);
    compare("pauser", listed(pausersOf(view)), desired.pauser);
    compare("delay of the admin", String(delayOf(view)), mapped(desired.delay, String));
    const routes = desired.routes?.map(nameOf);
    for (const name of differing(view.routes.map(nameOf), routes))
      drift.push(onList(`route ${name}`, routes, name));
    for (const name of differing(view.recipients, desired.recipients))
      drift.push(onList(`recipient ${name}`, desired.recipients, name));
  }
  if (attestor !== null) compare("key that the service here signs with", attestor, view.signer);
  return drift;
}

/** Accounts that can operate the guard or change its roles. */
function adminsOf({ holders }: GuardView): string[] {
  return [...new Set([...holders.admin, ...holders.operator].map(({ account }) => account))];
}

/** Accounts that can pause and nothing else. */
function pausersOf(view: GuardView): string[] {
  const admins = adminsOf(view);
  return view.holders.pauser.map(({ account }) => account).filter((account) => !admins.includes(account));
}

/** The shortest that anybody has to wait, in seconds. */
function delayOf({ holders }: GuardView): number {
  return Math.min(...[...holders.admin, ...holders.operator].map(({ delay }) => delay));
}

const listed = (accounts: readonly string[]) => (accounts.length === 0 ? null : accounts.join(", "));

/** What is in one list and not in the other; nothing where no list is desired. */
function differing(now: readonly string[], desired: readonly string[] | undefined): string[] {
  if (desired === undefined) return [];
  return [...now.filter((name) => !desired.includes(name)), ...desired.filter((name) => !now.includes(name))];
}

function onList(what: string, desired: readonly string[] | undefined, name: string): Drift {
  const should = desired?.includes(name) ?? false;
  return { what, isNow: should ? "not allowed" : "allowed", shouldBe: should ? "allowed" : "not allowed" };
}

function tradingOf(paused: boolean): string {
  return paused ? "paused" : "on";
}

function mapped<T, U>(value: T | undefined, to: (value: T) => U): U | undefined {
  return value === undefined ? undefined : to(value);
}

/**
 * Removals first: pause, routes and recipients out, the pauser, recipients and routes in.
 * It never unpauses and never changes the attestation key or an admin: these are decisions of a person, with a command each.
 * @param labelOf a route's name, where known
 * @returns also the differences that a command of their own makes up for, and which
 */
export function planOf(
  view: GuardView,
  desired: Desired,
  labelOf: (route: string, selector: string) => string | null,
) {
  const calls: AdminCall[] = [];
  if (desired.paused === true && !view.paused) calls.push(pauseCall(view));
  const { routes = view.routes, recipients = view.recipients } = desired;
  const wanted = new Set(routes.map(nameOf));
  const present = new Set(view.routes.map(nameOf));
  for (const key of view.routes)
    if (!wanted.has(nameOf(key))) calls.push(setRouteCall(key, false, labelOf(key.route, key.selector)));
  for (const recipient of view.recipients)
    if (!recipients.includes(recipient)) calls.push(setRecipientCall(recipient, false));
  if (desired.pauser !== undefined) calls.push(...pauserCalls(pausersOf(view), desired.pauser));
  for (const recipient of recipients)
    if (!view.recipients.includes(recipient)) calls.push(setRecipientCall(recipient, true));
  for (const key of routes)
    if (!present.has(nameOf(key))) calls.push(setRouteCall(key, true, labelOf(key.route, key.selector)));
  return { calls, left: leftOf(view, desired) };
}

function pauserCalls(pausers: readonly string[], desired: string | null): AdminCall[] {
  const isMissing = desired !== null && !pausers.includes(desired);
  return [
    ...(isMissing ? [grantRoleCall("pauser", desired, 0)] : []),
    ...pausers.filter((pauser) => pauser !== desired).map((pauser) => revokeRoleCall("pauser", pauser)),
  ];
}

function leftOf(view: GuardView, desired: Desired): string[] {
  const left: string[] = [];
  if (desired.paused === false && view.paused) left.push("trading is paused: guard unpause");
  if (desired.signer !== undefined && desired.signer !== view.signer)
    left.push(`the attestation key is ${view.signer}, not ${desired.signer}: guard rotate-signer`);
  const admins = adminsOf(view);
  if (desired.admin !== undefined && (admins.length !== 1 || admins[0] !== desired.admin))
    left.push(
      `admins are ${admins.join(", ")}, not ${desired.admin}: guard grant-role admin, then revoke-role admin`,
    );
  return left;
}
