/** What brings a call about now: the call itself, or the next of its two steps where the caller's role has a delay. */
import { type AdminCall, encodeAdminCall, executeCall, scheduleCall } from "../../chain/guard/adminCalls.ts";
import { rolesOf } from "../../chain/guard/manager.ts";
import type { GuardRoles } from "../../chain/guard/roles.ts";
import { describeOperation, operationId, type Scheduled } from "../../chain/guard/schedule.ts";
import { upstream } from "../../chain/rpc.ts";
import { AccessManager__factory } from "../../types/contracts/factories/@openzeppelin/contracts/access/manager/AccessManager__factory.ts";
import type { Session } from "../admin/session.ts";

/**
 * @param caller who holds a role of each call
 * @returns also, in words, what is scheduled already and not ready yet
 * @throws UpstreamUnavailable
 */
export async function stepsFor(
  { connection: { provider } }: Pick<Session, "connection">,
  state: GuardRoles,
  caller: string,
  calls: readonly AdminCall[],
) {
  const held = await rolesOf(provider, state.manager, caller, state.block);
  const manager = AccessManager__factory.connect(state.manager, provider);
  const [ready, waiting]: [AdminCall[], string[]] = [[], []];
  for (const call of calls) {
    const delays = call.roles.map((role) => held.get(role)).filter((delay) => delay !== undefined);
    const delay = delays.length === 0 ? 0 : Math.min(...delays);
    // The manager's own steps have no delay; its schedule says whether they are due.
    if (delay === 0 || call.name === "cancel") {
      ready.push(call);
      continue;
    }
    const { to: target, data } = encodeAdminCall(call, state);
    const operation = { caller, target, data };
    const at = { blockTag: state.block };
    const [nonce, readyAt] = await upstream("schedule", () =>
      Promise.all([
        manager.getNonce(operationId(operation), at),
        manager.getSchedule(operationId(operation), at),
      ]),
    );
    if (readyAt === 0n) ready.push(scheduleCall(call, operation, Number(nonce), delay));
    else if (Number(readyAt) <= state.blockTime)
      ready.push(executeCall(operation, describeOperation(operation, state), call));
    else waiting.push(`${call.line}: scheduled, can be executed from ${isoTime(Number(readyAt))} on`);
  }
  return { calls: ready, waiting };
}

/** `2026-11-23T17:00:00Z` */
export function isoTime(unixSeconds: number): string {
  return new Date(unixSeconds * 1000).toISOString().replace(".000Z", "Z");
}

/** A line on how many there are, and one on each. */
export function scheduledLines(operations: readonly Scheduled[], state: GuardRoles): string[] {
  return [
    `Scheduled        ${operations.length}`,
    ...operations.map((operation) => {
      const { id, caller, readyAt } = operation;
      const when = readyAt <= state.blockTime ? "ready since" : "ready at";
      return `    ${id}  ${describeOperation(operation, state)}, ${when} ${isoTime(readyAt)}, by ${caller}`;
    }),
  ];
}
