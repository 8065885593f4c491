/** The options of every command that changes something on the chain. */
import { type Session, withSession } from "../admin/session.ts";
import { ADMIN_OPTIONS, type AdminGiven, adminWorld } from "../admin/world.ts";
import { flag, text } from "../command.ts";
import type { World } from "../console.ts";
import { UsageError } from "../errors.ts";
import { addressFrom } from "../typed.ts";

/** Of a change that any account may send. */
export const SEND_OPTIONS = {
  ...ADMIN_OPTIONS,
  execute: flag("send it; without this, everything is shown and nothing is sent"),
  safe: text("FILE", "write a file for the Safe Transaction Builder instead of sending"),
  print: flag("print target and call data instead of sending"),
  yes: flag("do not ask for confirmation before sending on a live chain"),
  from: text("ADDRESS", "the account to act as; by default the one that may"),
};

/** Of a change of the guard. */
export const ACT_OPTIONS = {
  ...SEND_OPTIONS,
  reason: text("TEXT", "the reason, for the history"),
};

export interface SendGiven extends AdminGiven {
  readonly execute?: boolean;
  readonly safe?: string | undefined;
  readonly print?: boolean;
  readonly yes?: boolean;
  readonly from?: string | undefined;
}

export interface ActGiven extends SendGiven {
  readonly reason?: string | undefined;
}

/** The same with a checked address. @throws UsageError also when the options contradict each other */
export function checkedGiven<T extends SendGiven>(given: T): T {
  if (given.execute && (given.safe !== undefined || given.print))
    throw new UsageError("--execute sends; it cannot be combined with --safe or --print.");
  return { ...given, from: given.from === undefined ? undefined : addressFrom(given.from, "--from") };
}

/** Runs a command that changes something over a session. @param work with the options as `checkedGiven` returns them */
export async function changing<T extends SendGiven>(
  typed: T,
  world: World,
  work: (session: Session, given: T) => Promise<number>,
): Promise<number> {
  const given = checkedGiven(typed);
  return await withSession(adminWorld(world, given), (session) => work(session, given));
}
