/**
 * The changes of a guard that wait, by the events of its manager alone: nobody can ask the manager for a list. Pure, and
 * without compiled contracts, so that a reader's program holds evidence against the same code that the service runs.
 */
import { AbiCoder, getAddress, Interface, keccak256 } from "ethers";
import { z } from "zod";
import type { ChainFacts, PendingChange } from "../../attestor/evidence/facts.ts";
import { Address, LAST_SECOND } from "../../attestor/values/primitives.ts";
import type { UnixSeconds } from "../../attestor/values/time.ts";
import VIEWS from "../views.json" with { type: "json" };

const EVENTS = new Interface(VIEWS.schedule);
const GUARD_CALLS = new Interface(VIEWS.guardCalls);
const MANAGER_CALLS = new Interface(VIEWS.managerCalls);

/** The first topics of the events that say what waits. */
export const SCHEDULE_TOPICS: readonly string[] = [
  "OperationScheduled",
  "OperationExecuted",
  "OperationCanceled",
].map((name) => EVENTS.getEvent(name)!.topicHash);

/** So long after it is ready can an operation be executed; then it has expired. */
const EXPIRES_AFTER_SECONDS = 7 * 86_400;
/** What evidence has room for. */
const MOST_PENDING = 64;
const MOST_CALL_LENGTH = 1_000;

/** A call that waits for its delay, or for somebody to execute it. */
export const Operation = z.strictObject({ caller: Address, target: Address, data: z.string() });
export type Operation = z.infer<typeof Operation>;
export interface Scheduled extends Operation {
  readonly id: string;
  /** Unix seconds; a week later it expires. */
  readonly readyAt: number;
}

export interface WaitingOperation extends Scheduled {
  /** Where it was scheduled. */
  readonly block: number;
}

/** What was scheduled and neither executed nor cancelled up to a block, by id. */
export type Schedule = ReadonlyMap<string, WaitingOperation>;

export const NOTHING_SCHEDULED: Schedule = new Map();

export interface ManagerLog {
  readonly topics: readonly string[];
  readonly data: string;
  readonly blockNumber: number;
}

/** As the manager names a scheduled call. */
export function operationId({ caller, target, data }: Operation): string {
  return keccak256(
    AbiCoder.defaultAbiCoder().encode(["address", "address", "bytes"], [caller, target, data]),
  );
}

/**
 * The schedule once these events have happened, too.
 * @param logs of the manager, in the order of the chain
 */
export function scheduleAfter(before: Schedule, logs: readonly ManagerLog[]): Schedule {
  const schedule = new Map(before);
  for (const { topics, data, blockNumber } of logs) {
    const event = EVENTS.parseLog({ topics, data });
    if (event === null) continue;
    const { args } = event;
    if (event.name !== "OperationScheduled") {
      schedule.delete(String(args.operationId));
      continue;
    }
    const call = {
      caller: getAddress(String(args.caller)),
      target: getAddress(String(args.target)),
      data: String(args.data),
    };
    // Named by what it does: the event's own name of it decides nothing.
    const id = operationId(call);
    const readyAt = Math.min(Number(args.schedule), LAST_SECOND);
    schedule.set(id, { ...call, id, readyAt, block: blockNumber });
  }
  return schedule;
}

/**
 * What waits at a block, the next to become ready first.
 * @param blockTimestamp of the block that the schedule is of
 */
export function waitingAt(schedule: Schedule, blockTimestamp: UnixSeconds): WaitingOperation[] {
  return [...schedule.values()]
    .filter(({ readyAt }) => readyAt + EXPIRES_AFTER_SECONDS > blockTimestamp)
    .sort((a, b) => a.readyAt - b.readyAt || (a.id < b.id ? -1 : 1));
}

/** What waits at a block as evidence states it. */
export function pendingChanges(
  schedule: Schedule,
  { blockTimestamp }: Pick<ChainFacts, "blockTimestamp">,
  place: { readonly guard: string; readonly manager: string },
): PendingChange[] {
  return waitingAt(schedule, blockTimestamp)
    .slice(0, MOST_PENDING)
    .map((operation) => ({
      operation: operation.id,
      call: describeOperation(operation, place).slice(0, MOST_CALL_LENGTH).toWellFormed(),
      readyAt: operation.readyAt,
    }));
}

/** A scheduled call in words: `allowRoute(route: 0x…, selector: 0x…)`. */
export function describeOperation(
  { target, data }: Pick<Operation, "target" | "data">,
  { guard, manager }: { readonly guard: string; readonly manager: string },
): string {
  try {
    const call = callsOf(target, { guard, manager })?.parseTransaction({ data });
    if (call) {
      const { inputs, name } = call.fragment;
      return `${name}(${inputs.map((input, index) => `${input.name}: ${String(call.args[index])}`).join(", ")})`;
    }
  } catch {
    // Data of a function that does not decode is shown raw.
  }
  return `${target} ${data}`;
}

function callsOf(target: string, { guard, manager }: { guard: string; manager: string }): Interface | null {
  if (target === guard) return GUARD_CALLS;
  return target === manager ? MANAGER_CALLS : null;
}
