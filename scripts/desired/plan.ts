/** From the desired state to calls, in an order in which the guard is never laxer than before and after. */
import {
  type AdminCall,
  grantRoleCall,
  pauseCall,
  revokeRoleCall,
  setRecipientCall,
  setRouteCall,
} from "../../chain/guard/adminCalls.ts";
import { nameOf } from "../../chain/guard/allowlists.ts";
import type { GuardView } from "../../chain/guard/reading.ts";
import type { Desired } from "./desired.ts";
import { adminsOf, pausersOf } from "./drift.ts";

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
