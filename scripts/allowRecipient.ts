/** `guard allow-recipient` and `guard disallow-recipient`. */
import { setRecipientCall } from "../chain/guard/adminCalls.ts";
import { AdminError, type ExitCode } from "./adminErrors.ts";
import { isListed } from "./allowlists/isListed.ts";
import { tokenAt } from "./allowlists/known.ts";
import type { AdminContext } from "./session/context.ts";
import { addressFrom } from "./session/session.ts";
import { type ActArguments, actOnGuard } from "./transactions/carryOut.ts";

export interface RecipientArguments extends ActArguments {
  readonly recipient: string;
}

/** @returns the exit code */
export async function setRecipient(
  world: AdminContext,
  args: RecipientArguments,
  allowed: boolean,
): Promise<ExitCode> {
  const command = `guard ${allowed ? "allow" : "disallow"}-recipient`;
  return await actOnGuard(world, args, command, async (session) => {
    const recipient = addressFrom(args.recipient, "The recipient");
    const isAllowed = await isListed(session, "isRecipientAllowed", [recipient]);
    const token = tokenAt(session.connection.chainId, session.registry, recipient);
    if (allowed && token !== null)
      throw new AdminError("refused", `${recipient} is ${token}: everything that it receives is lost.`);
    return isAllowed === allowed ? [] : [setRecipientCall(recipient, allowed)];
  });
}
