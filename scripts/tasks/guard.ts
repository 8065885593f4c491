/** The tasks of the guard. */
import { task } from "hardhat/config";
import { ArgumentType } from "hardhat/types/arguments";
import type { TaskDefinition } from "hardhat/types/tasks";
import { withAct, withDir } from "./options.ts";

const routeTask = (allowed: boolean) =>
  withAct(
    task(
      ["guard", allowed ? "allow-route" : "disallow-route"],
      allowed ? "Allow trades to use a function of a router" : "Take a function of a router off the list",
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
      allowed ? "Allow trades of any owner to pay an address" : "Take a recipient off the list",
    ),
  ).addPositionalArgument({ name: "recipient", description: "The recipient's address" });

export const GUARD_TASKS: TaskDefinition[] = [
  withDir(task(["guard", "status"], "Show the guard's whole state, and whether it is as desired"))
    .addFlag({ name: "check", description: "Exit code 1 when it is not as desired" })
    .addFlag({ name: "json", description: "Print one JSON object" })
    .setAction(() => import("../status.ts"))
    .build(),
  withAct(
    task(["guard", "apply"], "Bring the guard to the state in <chainId>.desired.json; a dry run by default"),
  )
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
  withAct(task(["guard", "renew-executor"], "Have the guard deploy a fresh executor and trade through it"))
    .setAction(() => import("../renewExecutor.ts"))
    .build(),
  withAct(task(["guard", "transfer-admin"], "Propose the next admin, who then has to accept"))
    .addPositionalArgument({ name: "newAdmin", description: "The successor, or none to withdraw a proposal" })
    .setAction(() => import("../transferAdmin.ts"))
    .build(),
  withAct(task(["guard", "accept-admin"], "Take over as the admin; for the proposed admin"))
    .setAction(() => import("../acceptAdmin.ts"))
    .build(),
  withDir(task(["guard", "service-file"], "Write the service's DEPLOYMENT_FILE from the records"))
    .addOption({
      name: "out",
      description: "The file to write; without this, it is printed",
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
  withDir(task(["guard", "market-file"], "Check a market file against the chain before it is used"))
    .addOption({
      name: "file",
      description: "The file; by default <chainId>.market.json of the records",
      type: ArgumentType.STRING_WITHOUT_DEFAULT,
      defaultValue: undefined,
    })
    .setAction(() => import("../marketFile.ts"))
    .build(),
  withDir(task(["guard", "verify"], "Publish the source of guard and executor on the chain's explorers"))
    .setAction(() => import("../verify.ts"))
    .build(),
  withDir(
    task(
      ["guard", "verify-build"],
      "Compile this source and show whether the code of the deployed guard and executor is it",
    ),
  )
    .addOption({
      name: "guard",
      description: "The guard's address; by default that of the records",
      type: ArgumentType.STRING_WITHOUT_DEFAULT,
      defaultValue: undefined,
    })
    .addFlag({ name: "json", description: "Print one JSON object" })
    .setAction(() => import("../verifyBuild.ts"))
    .build(),
];
