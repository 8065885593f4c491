/** `guard scheduled`: what waits for its delay, and who may execute or cancel it. */
import { cancelCall, executeCall } from "../chain/guard/adminCalls.ts";
import { describeOperation, type Scheduled } from "../chain/guard/schedule.ts";
import { AdminError, EXIT, type ExitCode } from "./adminErrors.ts";
import { readAccess } from "./desired/readView.ts";
import type { AdminContext } from "./session/context.ts";
import { withSession } from "./session/session.ts";
import { type ActArguments, actOptions, carryOut } from "./transactions/carryOut.ts";
import { scheduledLines } from "./transactions/steps.ts";

export interface ScheduledArguments extends ActArguments {
  readonly cancel?: string | undefined;
  readonly ready?: boolean;
}

/** @returns the exit code */
export async function scheduled(world: AdminContext, args: ScheduledArguments): Promise<ExitCode> {
  return await withSession(world, async (session) => {
    const options = actOptions(args);
    if (args.ready && args.cancel !== undefined)
      throw new AdminError("usage", "Use only one of --ready and --cancel.");
    const state = await readAccess(session);
    for (const line of scheduledLines(state.scheduled, state)) world.print(line);
    if (!args.ready && args.cancel === undefined) return EXIT.ok;
    const words = (operation: Scheduled) => describeOperation(operation, state);
    if (args.cancel !== undefined) {
      const chosen = chosenFrom(state.scheduled, args.cancel);
      const calls = chosen.map((operation) => cancelCall(operation, words(operation)));
      return await carryOut(session, state, calls, options, "guard scheduled --cancel");
    }
    const ready = state.scheduled.filter(({ readyAt }) => readyAt <= state.blockTime);
    const caller = options.from ?? ready[0]?.caller;
    const own = ready.filter((operation) => operation.caller === caller);
    const calls = own.map((operation) => executeCall(operation, words(operation)));
    return await carryOut(session, state, calls, options, "guard scheduled --ready", "Nothing is ready.");
  });
}

/** @throws AdminError `usage` */
function chosenFrom(operations: readonly Scheduled[], cancel: string): readonly Scheduled[] {
  if (cancel === "all") return operations;
  const chosen = operations.filter(({ id }) => id === cancel.toLowerCase());
  if (chosen.length === 0) throw new AdminError("usage", `Nothing is scheduled as ${cancel}.`);
  return chosen;
}
