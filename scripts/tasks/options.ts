/** Options that several tasks have. Each task is `withDir(withAct(task(…)))`. */
import { ArgumentType } from "hardhat/types/arguments";
import type { NewTaskDefinitionBuilder, TaskArguments } from "hardhat/types/tasks";

type Builder<T extends TaskArguments> = NewTaskDefinitionBuilder<T>;

/** Of every task that reads or writes records. */
export function withDir<T extends TaskArguments>(builder: Builder<T>) {
  return builder.addOption({
    name: "dir",
    description: "Folder of the records (default: deployments)",
    type: ArgumentType.STRING_WITHOUT_DEFAULT,
    defaultValue: undefined,
  });
}

/** Of every task that sends calls to the guard; the names are those of `ActArguments`. */
export function withAct<T extends TaskArguments>(builder: Builder<T>) {
  return withDir(builder)
    .addFlag({
      name: "execute",
      description: "Send it; without this, everything is shown and nothing is sent",
    })
    .addOption({
      name: "safe",
      description: "Write a file for the Safe Transaction Builder instead of sending",
      type: ArgumentType.STRING_WITHOUT_DEFAULT,
      defaultValue: undefined,
    })
    .addFlag({ name: "print", description: "Print target and call data instead of sending" })
    .addFlag({ name: "yes", description: "Do not ask for confirmation before sending on a live chain" })
    .addOption({
      name: "reason",
      description: "The reason, for the history",
      type: ArgumentType.STRING_WITHOUT_DEFAULT,
      defaultValue: undefined,
    })
    .addOption({
      name: "from",
      description: "The account to act as; by default the one that holds the role",
      type: ArgumentType.STRING_WITHOUT_DEFAULT,
      defaultValue: undefined,
    });
}
