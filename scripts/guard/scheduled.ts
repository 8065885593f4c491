/** `assay guard scheduled`: what waits for its delay, and who may execute or cancel it. */
import { cancelCall, executeCall } from "../../chain/guard/adminCalls.ts";
import type { GuardAccess } from "../../chain/guard/reading.ts";
import { describeOperation, type Scheduled } from "../../chain/guard/schedule.ts";
import { readAccess } from "../admin/reading.ts";
import { type Session, withSession } from "../admin/session.ts";
import { ADMIN_OPTIONS, adminWorld } from "../admin/world.ts";
import { command } from "../command.ts";
import { EXIT, UsageError } from "../errors.ts";
import { carryOut } from "../plan/carryOut.ts";
import { ACT_OPTIONS, checkedGiven } from "../plan/options.ts";
import { scheduledLines } from "../plan/steps.ts";

export const listScheduled = command({
  summary: "List the calls that wait for their delay",
  options: ADMIN_OPTIONS,
  run: (given, world) =>
    withSession(adminWorld(world, given), async (session) => {
      await show(session);
      return EXIT.ok;
    }),
});

export const executeScheduled = command({
  summary: "Execute what one caller scheduled and is ready",
  positionals: { id: { words: "one operation; by default all that are ready", isOptional: true } },
  options: ACT_OPTIONS,
  run: (typed, world) => {
    const given = checkedGiven(typed);
    return withSession(adminWorld(world, given), async (session) => {
      const state = await show(session);
      const wanted = given.id === undefined ? state.scheduled : chosenFrom(state.scheduled, given.id);
      const ready = wanted.filter(({ readyAt }) => readyAt <= state.blockTime);
      const caller = given.from ?? ready[0]?.caller;
      const own = ready.filter((operation) => operation.caller === caller);
      const calls = own.map((operation) => executeCall(operation, describeOperation(operation, state)));
      await carryOut(session, state, calls, given, "guard scheduled execute", "Nothing is ready.");
      return EXIT.ok;
    });
  },
});

export const cancelScheduled = command({
  summary: "Cancel a scheduled call, or all of them",
  positionals: { id: { words: "the operation's id, or all" } },
  options: ACT_OPTIONS,
  run: (typed, world) => {
    const given = checkedGiven(typed);
    return withSession(adminWorld(world, given), async (session) => {
      const state = await show(session);
      const calls = chosenFrom(state.scheduled, given.id).map((operation) =>
        cancelCall(operation, describeOperation(operation, state)),
      );
      await carryOut(session, state, calls, given, "guard scheduled cancel");
      return EXIT.ok;
    });
  },
});

async function show(session: Session): Promise<GuardAccess> {
  const state = await readAccess(session);
  for (const line of scheduledLines(state.scheduled, state)) session.world.out(line);
  return state;
}

/** @throws UsageError */
function chosenFrom(operations: readonly Scheduled[], id: string): readonly Scheduled[] {
  if (id === "all") return operations;
  const chosen = operations.filter((operation) => operation.id === id.toLowerCase());
  if (chosen.length === 0) throw new UsageError(`Nothing is scheduled as ${id}.`);
  return chosen;
}
