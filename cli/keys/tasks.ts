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

const EXECUTE = { name: "execute", description: "Change it; without it, show what would change" };

/** Loads the command when it runs. @param words the arguments as `npm run keys` takes them */
const action =
  <T>(words: (args: T) => string[]) =>
  async () => {
    const { keysMain } = await import("../keys.ts");
    return {
      default: async (args: T & { readonly execute?: boolean }) => {
        process.exitCode = await keysMain([...words(args), ...(args.execute ? ["--execute"] : [])]);
      },
    };
  };

interface Application {
  readonly name?: string;
  readonly email?: string;
  readonly purpose?: string;
}

const given = (application: Application): string[] =>
  (["name", "email", "purpose"] as const).flatMap((option) => {
    const value = application[option];
    // One word with the value: a value may begin with dashes.
    return value === undefined ? [] : [`--${option}=${value}`];
  });

const application = (name: "apply" | "create", description: string) =>
  task(["keys", name], description)
    .addOption(text("name", "Whose key it is"))
    .addOption(text("email", "How to reach them"))
    .addOption(text("purpose", "What it is for"))
    .addFlag(EXECUTE)
    .setAction(action((args: Application) => [name, ...given(args)]))
    .build();

const byId = (name: "approve" | "revoke", description: string) =>
  task(["keys", name], description)
    .addPositionalArgument({ name: "id", description: "The key's id, key_…" })
    .addFlag(EXECUTE)
    .setAction(action(({ id }: { id: string }) => [name, id]))
    .build();

export const KEYS_TASKS: TaskDefinition[] = [
  emptyTask("keys", "API keys: apply, list, approve, revoke, limit").build(),
  task(["keys", "list"], "List every key, oldest first")
    .setAction(action(() => ["list"]))
    .build(),
  application("apply", "Create a pending key; it is shown once"),
  application("create", "Create an active key; it is shown once"),
  byId("approve", "Make a pending key active"),
  byId("revoke", "Revoke a key for good"),
  task(["keys", "limit"], "Set a key's requests a minute")
    .addPositionalArgument({ name: "id", description: "The key's id, key_…" })
    .addPositionalArgument({ name: "requests", description: "A whole number, or default" })
    .addFlag(EXECUTE)
    .setAction(action(({ id, requests }: { id: string; requests: string }) => ["limit", id, requests]))
    .build(),
  task(["keys", "history"], "Show what happened to a key or to all keys, and who did it")
    .addPositionalArgument({ name: "id", description: "The key's id, or all", defaultValue: "all" })
    .setAction(action(({ id }: { id: string }) => (id === "all" ? ["history"] : ["history", id])))
    .build(),
];
