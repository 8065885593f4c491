/** API keys as tasks; the same as `npm run keys`. */
import { emptyTask, task } from "hardhat/config";
import { ArgumentType } from "hardhat/types/arguments";
import type { TaskDefinition } from "hardhat/types/tasks";

const text = (name: string, description: string) => ({
  name,
  description,
  type: ArgumentType.STRING_WITHOUT_DEFAULT as const,
  defaultValue: undefined,
});

const application = (name: "apply" | "create", description: string) =>
  task(["keys", name], description)
    .addOption(text("name", "Whose key it is"))
    .addOption(text("email", "How to reach them"))
    .addOption(text("purpose", "What it is for"))
    .setAction(() =>
      import("./actions.ts").then(({ applyAction, createAction }) => ({
        default: name === "apply" ? applyAction : createAction,
      })),
    )
    .build();

const byId = (name: "approve" | "revoke", description: string) =>
  task(["keys", name], description)
    .addPositionalArgument({ name: "id", description: "The key's id, key_…" })
    .setAction(() => import("./actions.ts").then(({ idAction }) => ({ default: idAction(name) })))
    .build();

export const KEYS_TASKS: TaskDefinition[] = [
  emptyTask("keys", "API keys: apply, list, approve, revoke, limit").build(),
  task(["keys", "list"], "List every key, oldest first")
    .setAction(() => import("./actions.ts").then(({ listAction }) => ({ default: listAction })))
    .build(),
  application("apply", "Create a pending key; it is shown once"),
  application("create", "Create an active key; it is shown once"),
  byId("approve", "Make a pending key active"),
  byId("revoke", "Revoke a key for good"),
  task(["keys", "limit"], "Set a key's requests a minute")
    .addPositionalArgument({ name: "id", description: "The key's id, key_…" })
    .addPositionalArgument({ name: "requests", description: "A whole number, or default" })
    .setAction(() => import("./actions.ts").then(({ limitAction }) => ({ default: limitAction })))
    .build(),
  task(["keys", "history"], "Show what happened to a key or to all keys, and who did it")
    .addPositionalArgument({ name: "id", description: "The key's id, or all", defaultValue: "all" })
    .setAction(() => import("./actions.ts").then(({ historyAction }) => ({ default: historyAction })))
    .build(),
];
