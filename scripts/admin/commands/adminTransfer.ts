/** `guard transfer-admin` and `guard accept-admin`: the two steps from one admin to the next. */
import { upstream } from "../../../api/chain/rpc.ts";
import { isDevelopmentKey } from "../../../api/developmentKeys.ts";
import { carryOut } from "../act/carryOut.ts";
import { AdminError, type ExitCode } from "../errors.ts";
import { acceptAdminCall, type GuardCall, transferAdminCall } from "../guard/calls.ts";
import { type GuardRoles, readRoles } from "../guard/roles.ts";
import { addressFrom, type Session, withSession } from "../session.ts";
import type { AdminWorld } from "../world.ts";
import { type ActArguments, actOptions } from "./options.ts";

export interface TransferArguments extends ActArguments {
  /** The successor, or `none` to withdraw a proposal. */
  readonly newAdmin: string;
}

/** @returns the exit code */
export async function transferAdmin(world: AdminWorld, args: TransferArguments): Promise<ExitCode> {
  return await withSession(world, async (session) => {
    const options = actOptions(args);
    const successor = args.newAdmin === "none" ? null : addressFrom(args.newAdmin, "The new admin");
    const roles = await readRoles(session.connection.provider, session.place.guard);
    if (successor !== null) await assertSuccessor(session, roles, successor);
    const calls = successor === roles.pendingAdmin ? [] : [transferAdminCall(roles, successor)];
    return await carryOut(session, roles, calls, options, "guard transfer-admin");
  });
}

async function assertSuccessor(
  { connection, place, world }: Session,
  roles: GuardRoles,
  successor: string,
): Promise<void> {
  const refuse = (why: string): never => {
    throw new AdminError("refused", `${successor} cannot become the admin: ${why}.`);
  };
  if (successor === roles.admin) refuse("it is the admin");
  if (successor === place.guard || successor === roles.executor)
    refuse("it is one of the guard's own contracts");
  if (successor === roles.signer)
    refuse("it is the attestation key, and who judges trades must not choose the routes");
  if (connection.live && isDevelopmentKey(successor)) refuse("everybody has this development key");
  const code = await upstream("code", () => connection.provider.getCode(successor));
  const used = await upstream("nonce", () => connection.provider.getTransactionCount(successor));
  if (code === "0x" && used === 0)
    world.print(`WARNING  ${successor} never sent a transaction. It has to accept before anything changes.`);
}

/** @returns the exit code */
export async function acceptAdmin(world: AdminWorld, args: ActArguments): Promise<ExitCode> {
  return await withSession(world, async (session) => {
    const options = actOptions(args);
    const roles = await readRoles(session.connection.provider, session.place.guard);
    const calls: GuardCall[] = roles.pendingAdmin === null ? [] : [acceptAdminCall(roles)];
    if (roles.pendingAdmin === null) world.print(`No successor of ${roles.admin} is proposed.`);
    return await carryOut(session, roles, calls, options, "guard accept-admin");
  });
}
