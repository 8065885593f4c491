/** The tasks of the guard. */
import { task } from "hardhat/config";
import { ArgumentType } from "hardhat/types/arguments";
import type { TaskDefinition } from "hardhat/types/tasks";
import { withAct, withDir } from "./options.ts";

const routeTask = (allowed: boolean) =>
  withAct(
    task(
      ["guard", allowed ? "allow-route" : "disallow-route"],
      allowed ? "Let trades use a function of a router" : "Take a function of a router off the list",
    ),
  )
    .addPositionalArgument({ name: "route", description: "The router's address" })
    .addPositionalArgument({
      name: "selector",
      description: "0x and 8 digits, a whole signature, or the name of a known router function",
    });

const recipientTask = (allowed: boolean) =>
  withAct(
    task(
      ["guard", allowed ? "allow-recipient" : "disallow-recipient"],
      allowed ? "Let trades of any owner pay an address" : "Take a recipient off the list",
    ),
  ).addPositionalArgument({ name: "recipient", description: "The recipient's address" });

export const GUARD_TASKS: TaskDefinition[] = [
  withDir(task(["guard", "status"], "Show all of the guard's state, and whether it is as desired"))
    .addFlag({ name: "check", description: "Exit code 1 when it is not as desired" })
    .addFlag({ name: "json", description: "One JSON object" })
    .setAction(() => import("../status.ts"))
    .build(),
  withAct(task(["guard", "apply"], "Make the guard what <chainId>.desired.json says; a dry run by default"))
    .setAction(() => import("../apply.ts"))
    .build(),
  routeTask(true)
    .setAction(() => import("../allowRoute.ts").then(({ allowAction }) => ({ default: allowAction })))
    .build(),
  routeTask(false)
    .setAction(() => import("../allowRoute.ts").then(({ disallowAction }) => ({ default: disallowAction })))
    .build(),
  recipientTask(true)
    .setAction(() => import("../allowRecipient.ts").then(({ allowAction }) => ({ default: allowAction })))
    .build(),
  recipientTask(false)
    .setAction(() =>
      import("../allowRecipient.ts").then(({ disallowAction }) => ({ default: disallowAction })),
    )
    .build(),
  withAct(task(["guard", "unpause"], "Allow trading again"))
    .setAction(() => import("../unpause.ts"))
    .build(),
  withAct(task(["guard", "renew-executor"], "Have the guard deploy a fresh executor and trade by it"))
    .setAction(() => import("../renewExecutor.ts"))
    .build(),
  withAct(task(["guard", "transfer-admin"], "Propose the next admin, who then has to accept"))
    .addPositionalArgument({ name: "newAdmin", description: "The successor, or none to withdraw a proposal" })
    .setAction(() => import("../transferAdmin.ts"))
    .build(),
  withAct(task(["guard", "accept-admin"], "Take over as the admin; for the proposed one"))
    .setAction(() => import("../acceptAdmin.ts"))
    .build(),
  withDir(task(["guard", "service-file"], "Write the service's DEPLOYMENT_FILE from the records"))
    .addOption({
      name: "out",
      description: "The file to write; printed without",
      type: ArgumentType.STRING_WITHOUT_DEFAULT,
      defaultValue: undefined,
    })
    .addOption({
      name: "logKey",
      description: "Verifier key of the decision log, for the record and the file",
      type: ArgumentType.STRING_WITHOUT_DEFAULT,
      defaultValue: undefined,
    })
    .setAction(() => import("../serviceFile.ts"))
    .build(),
  withDir(task(["guard", "market-file"], "Hold a market's file against the chain before it is used"))
    .addOption({
      name: "file",
      description: "The file; <chainId>.market.json of the records without",
      type: ArgumentType.STRING_WITHOUT_DEFAULT,
      defaultValue: undefined,
    })
    .setAction(() => import("../marketFile.ts"))
    .build(),
  withDir(task(["guard", "verify"], "Publish the source of guard and executor on the chain's explorers"))
    .setAction(() => import("../verify.ts"))
    .build(),
];
