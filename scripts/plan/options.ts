/** The options of every command that changes something on the chain. */
import { type Session, withSession } from "../admin/session.ts";
import { ADMIN_OPTIONS, adminWorld } from "../admin/world.ts";
import { flag, type GivenBy, text } from "../command.ts";
import type { World } from "../console.ts";
import { UsageError } from "../errors.ts";
import { address } from "../typed.ts";

/** Of a change that any account may send. */
export const SEND_OPTIONS = {
  ...ADMIN_OPTIONS,
  execute: flag("send it; without this, everything is shown and nothing is sent"),
  safe: text("FILE", "write a file for the Safe Transaction Builder instead of sending"),
  print: flag("print target and call data instead of sending"),
  yes: flag("do not ask for confirmation before sending on a live chain"),
  from: text("ADDRESS", "the account to act as; by default the one that may", address),
};

/** Of a change of the guard. */
export const ACT_OPTIONS = {
  ...SEND_OPTIONS,
  reason: text("TEXT", "the reason, for the history"),
};

export type SendGiven = Partial<GivenBy<typeof SEND_OPTIONS>>;
export type ActGiven = Partial<GivenBy<typeof ACT_OPTIONS>>;

/** @throws UsageError when the options contradict each other */
export function assertOneWay({ execute, safe, print }: SendGiven): void {
  if (execute && (safe !== undefined || print))
    throw new UsageError("--execute sends; it cannot be combined with --safe or --print.");
}

/** Runs a command that changes something over a session. */
export async function changing(
  given: SendGiven,
  world: World,
  work: (session: Session) => Promise<number>,
): Promise<number> {
  assertOneWay(given);
  return await withSession(adminWorld(world, given), work);
}
