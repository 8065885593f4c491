/** `guard transfer-admin`: proposes the next admin, who then has to accept (`acceptAdmin.ts`). */
import type { NewTaskActionFunction } from "hardhat/types/tasks";
import { isDevelopmentKey } from "../api/settings/developmentKeys.ts";
import { transferAdminCall } from "../chain/guard/adminCalls.ts";
import { type GuardRoles, readRoles } from "../chain/guard/roles.ts";
import { upstream } from "../chain/rpc.ts";
import { AdminError, type ExitCode } from "./adminErrors.ts";
import type { AdminContext } from "./session/context.ts";
import { runAdmin, type TaskArguments, typedPath } from "./session/runAdmin.ts";
import { addressFrom, type Session, withSession } from "./session/session.ts";
import { carryOut } from "./transactions/carryOut.ts";
import { type ActArguments, actOptions } from "./transactions/options.ts";

export interface TransferArguments extends ActArguments {
  /** The successor, or `none` to withdraw a proposal. */
  readonly newAdmin: string;
}

/** @returns the exit code */
export async function transferAdmin(world: AdminContext, args: TransferArguments): Promise<ExitCode> {
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
    refuse("it is the attestation key, and whoever judges trades must not choose the routes");
  if (connection.live && isDevelopmentKey(successor)) refuse("everybody has this development key");
  const code = await upstream("code", () => connection.provider.getCode(successor));
  const used = await upstream("nonce", () => connection.provider.getTransactionCount(successor));
  if (code === "0x" && used === 0)
    world.print(`WARNING  ${successor} never sent a transaction. It must accept before anything changes.`);
}

const action: NewTaskActionFunction<TaskArguments<TransferArguments>> = (args, hre) =>
  runAdmin(hre, args, (world) => transferAdmin(world, { ...args, safe: typedPath(args.safe) }));

export default action;
