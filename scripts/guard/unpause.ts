/** `assay guard unpause`: trading goes on. */
import { unpauseCall } from "../../chain/guard/adminCalls.ts";
import { command } from "../command.ts";
import { actOnGuard } from "../plan/carryOut.ts";
import { ACT_OPTIONS } from "../plan/options.ts";

export const unpause = command({
  summary: "Allow trading again",
  options: ACT_OPTIONS,
  run: (given, world) =>
    actOnGuard(world, given, "guard unpause", async (session, roles) => {
      if (!roles.paused) return [];
      // The last look before trades execute again: by whose word.
      session.world.out(`Certificates of ${roles.signer} will count.`);
      const attestor = await session.world.attestor();
      if (attestor !== null && attestor !== roles.signer)
        session.world.out(`WARNING  The service here signs with ${attestor}, which the guard will refuse.`);
      session.world.out("");
      return [unpauseCall(roles)];
    }),
});
