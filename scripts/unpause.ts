/** `guard unpause`: trading goes on. */
import { unpauseCall } from "../chain/guard/adminCalls.ts";
import type { ExitCode } from "./adminErrors.ts";
import type { AdminContext } from "./session/context.ts";
import { type ActArguments, actOnGuard } from "./transactions/carryOut.ts";

/** @returns the exit code */
export async function unpause(world: AdminContext, args: ActArguments): Promise<ExitCode> {
  return await actOnGuard(world, args, "guard unpause", async (_session, roles) => {
    if (!roles.paused) return [];
    // The last look before trades execute again: by whose word.
    world.print(`Certificates of ${roles.signer} will count.`);
    const attestor = await world.attestor();
    if (attestor !== null && attestor !== roles.signer)
      world.print(`WARNING  The service here signs with ${attestor}, which the guard will refuse.`);
    world.print("");
    return [unpauseCall(roles)];
  });
}
