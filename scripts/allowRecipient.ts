/** `guard allow-recipient` and `guard disallow-recipient`. */
import type { NewTaskActionFunction } from "hardhat/types/tasks";
import { setRecipientCall } from "../chain/guard/adminCalls.ts";
import { readRoles } from "../chain/guard/roles.ts";
import { AdminError, type ExitCode } from "./adminErrors.ts";
import { isListed } from "./allowlists/isListed.ts";
import { tokenAt } from "./allowlists/tokens.ts";
import type { AdminContext } from "./session/context.ts";
import { runAdmin, type TaskArguments, typedPath } from "./session/runAdmin.ts";
import { addressFrom, withSession } from "./session/session.ts";
import { carryOut } from "./transactions/carryOut.ts";
import { type ActArguments, actOptions } from "./transactions/options.ts";

export interface RecipientArguments extends ActArguments {
  readonly recipient: string;
}

/** @returns the exit code */
export async function setRecipient(
  world: AdminContext,
  args: RecipientArguments,
  allowed: boolean,
): Promise<ExitCode> {
  return await withSession(world, async (session) => {
    const options = actOptions(args);
    const recipient = addressFrom(args.recipient, "The recipient");
    const roles = await readRoles(session.connection.provider, session.place.guard);
    const isAllowed = await isListed(session, "isRecipientAllowed", [recipient]);
    const token = tokenAt(session.connection.chainId, session.registry, recipient);
    if (allowed && token !== null)
      throw new AdminError("refused", `${recipient} is ${token}: whatever it receives is lost.`);
    const calls = isAllowed === allowed ? [] : [setRecipientCall(recipient, allowed)];
    const command = `guard ${allowed ? "allow" : "disallow"}-recipient`;
    return await carryOut(session, roles, calls, options, command);
  });
}

const actionOf =
  (allowed: boolean): NewTaskActionFunction<TaskArguments<RecipientArguments>> =>
  (args, hre) =>
    runAdmin(hre, args, (world) => setRecipient(world, { ...args, safe: typedPath(args.safe) }, allowed));

export const allowAction = actionOf(true);
export const disallowAction = actionOf(false);
