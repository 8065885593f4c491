/** `guard unpause`: trading goes on. */
import type { NewTaskActionFunction } from "hardhat/types/tasks";
import { unpauseCall } from "../chain/guard/adminCalls.ts";
import { overlapRuns, readRoles } from "../chain/guard/roles.ts";
import type { ExitCode } from "./adminErrors.ts";
import type { AdminContext } from "./session/context.ts";
import { runAdmin, type TaskArguments, typedPath } from "./session/runAdmin.ts";
import { withSession } from "./session/session.ts";
import { carryOut } from "./transactions/carryOut.ts";
import { type ActArguments, actOptions } from "./transactions/options.ts";

/** @returns the exit code */
export async function unpause(world: AdminContext, args: ActArguments): Promise<ExitCode> {
  return await withSession(world, async (session) => {
    const options = actOptions(args);
    const roles = await readRoles(session.connection.provider, session.place.guard);
    if (roles.paused) {
      // The last look before trades execute again: by whose word.
      world.print(`Certificates of ${roles.signer} will count.`);
      if (overlapRuns(roles))
        world.print(
          `WARNING  Those of the previous key ${roles.previousSigner} too, until ${new Date(roles.previousSignerValidUntil * 1000).toISOString()}.`,
        );
      const attestor = await world.attestor();
      if (attestor !== null && attestor !== roles.signer)
        world.print(`WARNING  The service here signs with ${attestor}, which the guard will refuse.`);
      world.print("");
    }
    return await carryOut(session, roles, roles.paused ? [unpauseCall(roles)] : [], options, "guard unpause");
  });
}

const action: NewTaskActionFunction<TaskArguments<ActArguments>> = (args, hre) =>
  runAdmin(hre, args, (world) => unpause(world, { ...args, safe: typedPath(args.safe) }));

export default action;
