/** `assay guard allow-recipient` and `disallow-recipient`: who may be paid besides the owners themselves. */
import { setRecipientCall } from "../../chain/guard/adminCalls.ts";
import { addressFrom } from "../admin/session.ts";
import { command } from "../command.ts";
import { CommandError } from "../errors.ts";
import { actOnGuard } from "../plan/carryOut.ts";
import { ACT_OPTIONS } from "../plan/options.ts";
import { isListed } from "./allowlists.ts";
import { tokenAt } from "./known.ts";

const RECIPIENT = { recipient: { words: "the recipient's address" } };

export const allowRecipient = command({
  summary: "Allow trades of any owner to pay an address",
  positionals: RECIPIENT,
  options: ACT_OPTIONS,
  run: (given, world) =>
    actOnGuard(world, given, "guard allow-recipient", async (session) => {
      const recipient = addressFrom(given.recipient, "The recipient");
      const token = tokenAt(session.connection.chainId, session.registry, recipient);
      if (token !== null)
        throw new CommandError("refused", `${recipient} is ${token}: everything that it receives is lost.`);
      const isAllowed = await isListed(session, "isRecipientAllowed", [recipient]);
      return isAllowed ? [] : [setRecipientCall(recipient, true)];
    }),
});

export const disallowRecipient = command({
  summary: "Take a recipient off the list",
  positionals: RECIPIENT,
  options: ACT_OPTIONS,
  run: (given, world) =>
    actOnGuard(world, given, "guard disallow-recipient", async (session) => {
      const recipient = addressFrom(given.recipient, "The recipient");
      const isAllowed = await isListed(session, "isRecipientAllowed", [recipient]);
      return isAllowed ? [setRecipientCall(recipient, false)] : [];
    }),
});
