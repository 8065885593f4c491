/** `guard unpause`: trading goes on. */
import { carryOut } from "../act/carryOut.ts";
import type { ExitCode } from "../errors.ts";
import { unpauseCall } from "../guard/calls.ts";
import { overlapRuns, readRoles } from "../guard/roles.ts";
import { withSession } from "../session.ts";
import type { AdminWorld } from "../world.ts";
import { type ActArguments, actOptions } from "./options.ts";

/** @returns the exit code */
export async function unpause(world: AdminWorld, args: ActArguments): Promise<ExitCode> {
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
