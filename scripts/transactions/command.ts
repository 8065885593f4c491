/** What most commands are: calls that follow from the guard's roles, carried out as the options of their task say. */
import type { AdminCall } from "../../chain/guard/adminCalls.ts";
import { type GuardRoles, readRoles } from "../../chain/guard/roles.ts";
import type { ExitCode } from "../adminErrors.ts";
import type { AdminContext } from "../session/context.ts";
import { addressFrom, type Session, withSession } from "../session/session.ts";
import { type ActOptions, carryOut } from "./carryOut.ts";

/** The options of a changing task as Hardhat parses them. */
export interface ActArguments {
  readonly execute?: boolean;
  readonly safe?: string | undefined;
  readonly print?: boolean;
  readonly yes?: boolean;
  readonly reason?: string | undefined;
  readonly from?: string | undefined;
}

/** @throws AdminError `usage` */
export function actOptions(args: ActArguments): ActOptions {
  return {
    execute: args.execute ?? false,
    safe: args.safe,
    print: args.print ?? false,
    yes: args.yes ?? false,
    reason: args.reason,
    from: args.from === undefined ? undefined : addressFrom(args.from, "--from"),
  };
}

/**
 * @param command as it is typed, for the history
 * @param plan the calls that bring about what was asked for; none where it is so already
 * @returns the exit code
 */
export async function actOnGuard(
  world: AdminContext,
  args: ActArguments,
  command: string,
  plan: (session: Session, roles: GuardRoles) => AdminCall[] | Promise<AdminCall[]>,
): Promise<ExitCode> {
  return await withSession(world, async (session) => {
    const options = actOptions(args);
    const roles = await readRoles(session.connection.provider, session.place.guard);
    return await carryOut(session, roles, await plan(session, roles), options, command);
  });
}
