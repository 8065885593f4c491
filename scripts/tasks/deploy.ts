/** The task that brings a guard onto a chain. */
import { task } from "hardhat/config";
import { ArgumentType } from "hardhat/types/arguments";
import type { TaskDefinition } from "hardhat/types/tasks";
import { withDir } from "./options.ts";

const text = (name: string, description: string) => ({
  name,
  description,
  type: ArgumentType.STRING_WITHOUT_DEFAULT as const,
  defaultValue: undefined,
});

export const DEPLOY_TASKS: TaskDefinition[] = [
  withDir(task("deploy", "Deploy the guard; a dry run by default"))
    .addOption(text("admin", "The guard's admin (a Safe, say); has to be given"))
    .addOption(text("pauser", "Who may pause beside the admin, or none; has to be given"))
    .addOption(text("signer", "Address of the attestation key; has to be given"))
    .addFlag({ name: "adminIsDeployer", description: "The admin may be the deploying account" })
    .addFlag({ name: "execute", description: "Send it; without, everything is shown and nothing sent" })
    .addFlag({ name: "yes", description: "Ask no question before sending on a live chain" })
    .addOption(text("reason", "Why; stands in the history"))
    .addOption(text("from", "Which account of the network deploys; the first by default"))
    .setAction(() => import("../deploy.ts"))
    .build(),
];
