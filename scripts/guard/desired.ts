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
import type { Role } from "../../chain/guard/manager.ts";
import type { GuardView } from "../../chain/guard/reading.ts";
import type { Records } from "../admin/records.ts";
import { Unusable } from "../errors.ts";
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

/** @returns null when there is no such file. @throws Unusable */
export async function readDesired(records: Records, guard: string): Promise<Desired | null> {
  const path = records.path("desired.json");
  const desired = await readJson(path, Desired);
  if (desired?.guard !== undefined && desired.guard !== guard)
    throw new Unusable(`${path} is about the guard ${desired.guard}, and this is ${guard}.`);
  return desired;
}

/** @throws Unusable also when there is no such file */
export async function requireDesired(records: Records, guard: string): Promise<Desired> {
  const desired = await readDesired(records, guard);
  if (desired !== null) return desired;
  throw new Unusable(
    `There is no ${records.path("desired.json")}: it says what state the guard should be in (deployments/README.md).`,
  );
}

export interface Drift {
  /** `pauser`, `route 0x… 0x…`, `attestor key`. */
  readonly what: string;
  readonly isNow: string;
  readonly shouldBe: string;
}

/** One with what makes up for it. */
interface Difference extends Drift {
  /** None: it is left to a person. */
  readonly calls: readonly AdminCall[];
  /** What that person types or does. */
  readonly next?: string;
}

/** A route's name, where known. */
type LabelOf = (route: string, selector: string) => string | null;

/**
 * @param attestor the address that the service here would sign with; null: not known here
 * @param desired null: there is no file, so only the attestor is judged
 */
export function driftOf(view: GuardView, desired: Desired | null, attestor: string | null): Drift[] {
  const differences = desired === null ? [] : differencesOf(view, desired, () => null);
  const drift = differences.map(({ what, isNow, shouldBe }): Drift => ({ what, isNow, shouldBe }));
  if (attestor !== null && attestor !== view.signer)
    drift.push({ what: "key that the service here signs with", isNow: attestor, shouldBe: view.signer });
  return drift;
}

/** What is left to do for a delay. */
const CALL_OF_THE_MANAGER = "no command changes it, the admin calls the manager";

/** The roles that calls need, in the order in which the calls are sent: what restricts comes first. */
const ORDER: readonly Role[] = ["pauser", "admin", "operator"];

/**
 * Pause, routes and recipients out, the pauser, routes and recipients in.
 * It never unpauses and never changes the attestation key or an admin: these are decisions of a person, with a command each.
 * @returns also, in words, the differences that are left
 */
export function planOf(view: GuardView, desired: Desired, labelOf: LabelOf) {
  const differences = differencesOf(view, desired, labelOf);
  const orderOf = ({ roles }: AdminCall) => ORDER.indexOf(roles[0]!);
  const left = differences.filter(({ calls }) => calls.length === 0);
  return {
    calls: differences.flatMap(({ calls }) => calls).sort((a, b) => orderOf(a) - orderOf(b)),
    left: left.map(
      ({ what, isNow, shouldBe, next }) => `${what} is ${isNow}, and should be ${shouldBe}: ${next}`,
    ),
  };
}

function differencesOf(view: GuardView, desired: Desired, labelOf: LabelOf): Difference[] {
  const found: Difference[] = [];
  const compare = (
    what: string,
    isNow: string | null,
    shouldBe: string | null | undefined,
    remedy: Pick<Difference, "calls" | "next">,
  ) => {
    if (shouldBe !== undefined && isNow !== shouldBe)
      found.push({ what, isNow: isNow ?? "nobody", shouldBe: shouldBe ?? "nobody", ...remedy });
  };
  const byHand = (next: string) => ({ calls: [], next });
  const { routes = view.routes, recipients = view.recipients, paused = view.paused } = desired;
  if (paused && !view.paused) found.push(madeUpBy(pauseCall(view)));
  if (!paused && view.paused) compare("trading", "paused", "on", byHand("guard unpause"));
  compare("attestation key", view.signer, desired.signer, byHand("guard rotate-signer"));
  const admins = adminsOf(view);
  compare("admin", listed(admins), desired.admin, byHand("guard grant-role admin, then revoke-role admin"));
  const pausers = pausersOf(view);
  compare("pauser", listed(pausers), desired.pauser, { calls: pauserCalls(pausers, desired.pauser ?? null) });
  compare(
    "delay of the admin",
    String(delayOf(view)),
    desired.delay?.toString(),
    byHand(CALL_OF_THE_MANAGER),
  );
  for (const { entry, isWanted } of differing(view.routes, routes, nameOf))
    found.push(madeUpBy(setRouteCall(entry, isWanted, labelOf(entry.route, entry.selector))));
  for (const { entry, isWanted } of differing(view.recipients, recipients, String))
    found.push(madeUpBy(setRecipientCall(entry, isWanted)));
  return found;
}

const madeUpBy = (call: AdminCall): Difference => ({
  what: call.change.what,
  isNow: call.change.from,
  shouldBe: call.change.to,
  calls: [call],
});

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

/** What is in one list and not in the other. */
function differing<T>(now: readonly T[], wanted: readonly T[], name: (entry: T) => string) {
  const isIn = (entries: readonly T[], entry: T) => entries.some((other) => name(other) === name(entry));
  const surplus = now.filter((entry) => !isIn(wanted, entry));
  const missing = wanted.filter((entry) => !isIn(now, entry));
  return [
    ...surplus.map((entry) => ({ entry, isWanted: false })),
    ...missing.map((entry) => ({ entry, isWanted: true })),
  ];
}

function pauserCalls(pausers: readonly string[], desired: string | null): AdminCall[] {
  const isMissing = desired !== null && !pausers.includes(desired);
  return [
    ...(isMissing ? [grantRoleCall("pauser", desired, 0)] : []),
    ...pausers.filter((pauser) => pauser !== desired).map((pauser) => revokeRoleCall("pauser", pauser)),
  ];
}
