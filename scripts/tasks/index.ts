/** What an admin runs against the guard, for hardhat.config.ts. */
import { emptyTask, task } from "hardhat/config";
import type { TaskDefinition } from "hardhat/types/tasks";
import { GUARD_TASKS } from "./guard.ts";
import { action, EXECUTE, REASON, text, withDir, YES } from "./options.ts";
import { URGENT_TASKS } from "./urgent.ts";

export const TASKS: TaskDefinition[] = [
  emptyTask("guard", "Inspect and administer the guard").build(),
  ...GUARD_TASKS,
  ...URGENT_TASKS,
  withDir(task("deploy", "Deploy the guard; a dry run by default"))
    .addOption(text("admin", "The guard's admin (such as a Safe); required"))
    .addOption(text("pauser", "Who may pause besides the admin, or none; required"))
    .addOption(text("signer", "Address of the attestation key; required"))
    .addFlag({ name: "adminIsDeployer", description: "Allow the deploying account to be the admin" })
    .addFlag(EXECUTE)
    .addFlag(YES)
    .addOption(REASON)
    .addOption(text("from", "The account of the network that deploys; the first by default"))
    .setAction(action(async () => (await import("../deploy.ts")).deployHere))
    .build(),
];
