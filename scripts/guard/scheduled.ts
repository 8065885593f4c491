/** `assay guard scheduled`: what waits for its delay, and who may execute or cancel it. */
import { cancelCall, executeCall } from "../../chain/guard/adminCalls.ts";
import type { GuardRoles } from "../../chain/guard/roles.ts";
import { describeOperation, type Scheduled } from "../../chain/guard/schedule.ts";
import { readAccess } from "../admin/reading.ts";
import { type Session, withSession } from "../admin/session.ts";
import { ADMIN_OPTIONS, adminWorld } from "../admin/world.ts";
import { argument, command, optionalArgument } from "../command.ts";
import { EXIT, UsageError } from "../errors.ts";
import { JSON_OPTION, show } from "../json.ts";
import { carryOut } from "../plan/byRole.ts";
import { ACT_OPTIONS, changing } from "../plan/options.ts";
import { isoTime } from "../typed.ts";

export const listScheduled = command({
  summary: "List the calls that wait for their delay",
  options: { ...ADMIN_OPTIONS, ...JSON_OPTION },
  run: ({ json, ...given }, world) =>
    withSession(adminWorld(world, given), async (session) => {
      const state = await readAccess(session);
      const lines = scheduledLines(state.scheduled, state);
      if (state.scheduled.length > 0)
        lines.push("assay guard scheduled execute executes what is ready, cancel <id> cancels it.");
      show(session.world, json, scheduledJson(state.scheduled, state), lines);
      return EXIT.ok;
    }),
});

export const executeScheduled = command({
  summary: "Execute what one caller scheduled and is ready",
  positionals: { id: optionalArgument("one operation; by default all that are ready") },
  options: ACT_OPTIONS,
  run: (given, world) =>
    changing(given, world, async (session) => {
      const state = await shown(session);
      const wanted = given.id === undefined ? state.scheduled : chosenFrom(state.scheduled, given.id);
      const ready = wanted.filter(({ readyAt }) => readyAt <= state.blockTime);
      const nothing = `Nothing is ready: the newest block is of ${isoTime(state.blockTime)}.`;
      const caller = given.from ?? ready[0]?.caller;
      const own = ready.filter((operation) => operation.caller === caller);
      const calls = own.map((operation) => executeCall(operation, describeOperation(operation, state)));
      await carryOut(session, state, calls, given, "guard scheduled execute", nothing);
      return EXIT.ok;
    }),
});

export const cancelScheduled = command({
  summary: "Cancel a scheduled call, or all of them",
  positionals: { id: argument("the operation's id, or all") },
  options: ACT_OPTIONS,
  run: (given, world) =>
    changing(given, world, async (session) => {
      const state = await shown(session);
      const calls = chosenFrom(state.scheduled, given.id).map((operation) =>
        cancelCall(operation, describeOperation(operation, state)),
      );
      await carryOut(session, state, calls, given, "guard scheduled cancel", "Nothing is scheduled.");
      return EXIT.ok;
    }),
});

async function shown(session: Session) {
  const state = await readAccess(session);
  for (const line of scheduledLines(state.scheduled, state)) session.world.out(line);
  return state;
}

/** A line on how many there are, and one on each. */
export function scheduledLines(operations: readonly Scheduled[], state: GuardRoles): string[] {
  const lines = scheduledJson(operations, state).map(({ id, call, readyAt, caller, isReady }) => {
    const when = isReady ? "ready since" : "ready at";
    return `    ${id}  ${call}, ${when} ${isoTime(readyAt)}, by ${caller}`;
  });
  return [`Scheduled        ${operations.length}`, ...lines];
}

/** For programs: each with its call in words, and whether it can be executed. */
export const scheduledJson = (operations: readonly Scheduled[], state: GuardRoles) =>
  operations.map(({ id, caller, target, data, readyAt }) => ({
    id,
    caller,
    target,
    data,
    readyAt,
    call: describeOperation({ target, data }, state),
    isReady: readyAt <= state.blockTime,
  }));

/** @throws UsageError */
function chosenFrom(operations: readonly Scheduled[], id: string): readonly Scheduled[] {
  if (id === "all") return operations;
  const chosen = operations.filter((operation) => operation.id === id.toLowerCase());
  if (chosen.length === 0) throw new UsageError(`Nothing is scheduled as ${id}.`);
  return chosen;
}
