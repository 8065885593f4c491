/** `guard accept-admin`: the second step from one admin to the next, by the proposed one. */
import type { NewTaskActionFunction } from "hardhat/types/tasks";
import { type AdminCall, acceptAdminCall } from "../chain/guard/adminCalls.ts";
import { readRoles } from "../chain/guard/roles.ts";
import type { ExitCode } from "./adminErrors.ts";
import type { AdminContext } from "./session/context.ts";
import { runAdmin, type TaskArguments, typedPath } from "./session/runAdmin.ts";
import { withSession } from "./session/session.ts";
import { carryOut } from "./transactions/carryOut.ts";
import { type ActArguments, actOptions } from "./transactions/options.ts";

/** @returns the exit code */
export async function acceptAdmin(world: AdminContext, args: ActArguments): Promise<ExitCode> {
  return await withSession(world, async (session) => {
    const options = actOptions(args);
    const roles = await readRoles(session.connection.provider, session.place.guard);
    const calls: AdminCall[] = roles.pendingAdmin === null ? [] : [acceptAdminCall(roles)];
    if (roles.pendingAdmin === null) world.print(`No successor of ${roles.admin} is proposed.`);
    return await carryOut(session, roles, calls, options, "guard accept-admin");
  });
}

const action: NewTaskActionFunction<TaskArguments<ActArguments>> = (args, hre) =>
  runAdmin(hre, args, (world) => acceptAdmin(world, { ...args, safe: typedPath(args.safe) }));

export default action;
