/** What an admin runs against the guard, for hardhat.config.ts. The actions are loaded when they run, and not before. */
import { emptyTask, task } from "hardhat/config";
import { ArgumentType } from "hardhat/types/arguments";
import type { TaskDefinition } from "hardhat/types/tasks";
import { GUARD_TASKS } from "./guard.ts";
import { withDir } from "./options.ts";
import { URGENT_TASKS } from "./urgent.ts";

const text = (name: string, description: string) => ({
  name,
  description,
  type: ArgumentType.STRING_WITHOUT_DEFAULT as const,
  defaultValue: undefined,
});

const DEPLOY_TASKS: TaskDefinition[] = [
  withDir(task("deploy", "Deploy the guard; a dry run by default"))
    .addOption(text("admin", "The guard's admin (such as a Safe); required"))
    .addOption(text("pauser", "Who may pause besides the admin, or none; required"))
    .addOption(text("signer", "Address of the attestation key; required"))
    .addFlag({ name: "adminIsDeployer", description: "Allow the deploying account to be the admin" })
    .addFlag({
      name: "execute",
      description: "Send it; without this, everything is shown and nothing is sent",
    })
    .addFlag({ name: "yes", description: "Do not ask for confirmation before sending on a live chain" })
    .addOption(text("reason", "The reason, for the history"))
    .addOption(text("from", "The account of the network that deploys; the first by default"))
    .setAction(() => import("../deploy.ts"))
    .build(),
];

export const TASKS: TaskDefinition[] = [
  emptyTask("guard", "Inspect and administer the guard").build(),
  ...GUARD_TASKS,
  ...URGENT_TASKS,
  ...DEPLOY_TASKS,
];
