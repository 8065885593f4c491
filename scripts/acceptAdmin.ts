/** `guard accept-admin`: the second step from one admin to the next, by the proposed one. */
import { acceptAdminCall } from "../chain/guard/adminCalls.ts";
import type { ExitCode } from "./adminErrors.ts";
import type { AdminContext } from "./session/context.ts";
import { type ActArguments, actOnGuard } from "./transactions/carryOut.ts";

/** @returns the exit code */
export async function acceptAdmin(world: AdminContext, args: ActArguments): Promise<ExitCode> {
  return await actOnGuard(world, args, "guard accept-admin", (_session, roles) => {
    if (roles.pendingAdmin !== null) return [acceptAdminCall(roles)];
    world.print(`No successor of ${roles.admin} is proposed.`);
    return [];
  });
}
