/** What several tasks share: options, and actions that are loaded when they run. A changing task is `withAct(task(…))`. */
import { ArgumentType } from "hardhat/types/arguments";
import type { NewTaskDefinitionBuilder, TaskArguments } from "hardhat/types/tasks";
import type { AdminCommand } from "../session/runAdmin.ts";

type Builder<T extends TaskArguments> = NewTaskDefinitionBuilder<T>;

export const text = <const Name extends string>(name: Name, description: string) => ({
  name,
  description,
  type: ArgumentType.STRING_WITHOUT_DEFAULT as const,
  defaultValue: undefined,
});

export const EXECUTE = {
  name: "execute",
  description: "Send it; without this, everything is shown and nothing is sent",
} as const;
export const YES = {
  name: "yes",
  description: "Do not ask for confirmation before sending on a live chain",
} as const;
export const REASON = text("reason", "The reason, for the history");

/** Of every task that reads or writes records. */
export const withDir = <T extends TaskArguments>(builder: Builder<T>) =>
  builder.addOption(text("dir", "Folder of the records (default: deployments)"));

/** Of every task that sends; the names are those of `SendArguments`. */
export function withSending<T extends TaskArguments>(builder: Builder<T>) {
  return withDir(builder)
    .addFlag(EXECUTE)
    .addOption(text("safe", "Write a file for the Safe Transaction Builder instead of sending"))
    .addFlag({ name: "print", description: "Print target and call data instead of sending" })
    .addFlag(YES)
    .addOption(text("from", "The account to act as; by default the one that may"));
}

/** Of every task that sends calls to the guard; the names are those of `ActArguments`. */
export const withAct = <T extends TaskArguments>(builder: Builder<T>) =>
  withSending(builder).addOption(REASON);

/** @param load imports the command: no task loads what another one needs */
export function action<T extends object>(load: () => Promise<AdminCommand<T>>) {
  return async () => {
    const [{ actionOf }, command] = await Promise.all([import("../session/runAdmin.ts"), load()]);
    return { default: actionOf(command) };
  };
}
