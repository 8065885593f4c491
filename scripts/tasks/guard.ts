/** The tasks of the guard. */
import { task } from "hardhat/config";
import type { TaskDefinition } from "hardhat/types/tasks";
import type { RecipientArguments } from "../allowRecipient.ts";
import type { RouteArguments } from "../allowRoute.ts";
import { action, text, withAct, withDir } from "./options.ts";

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
    })
    .setAction(
      action(async () => {
        const { setRoute } = await import("../allowRoute.ts");
        return (world, args: RouteArguments) => setRoute(world, args, allowed);
      }),
    )
    .build();

const recipientTask = (allowed: boolean) =>
  withAct(
    task(
      ["guard", allowed ? "allow-recipient" : "disallow-recipient"],
      allowed ? "Allow trades of any owner to pay an address" : "Take a recipient off the list",
    ),
  )
    .addPositionalArgument({ name: "recipient", description: "The recipient's address" })
    .setAction(
      action(async () => {
        const { setRecipient } = await import("../allowRecipient.ts");
        return (world, args: RecipientArguments) => setRecipient(world, args, allowed);
      }),
    )
    .build();

export const GUARD_TASKS: TaskDefinition[] = [
  withDir(task(["guard", "status"], "Show the guard's whole state, and whether it is as desired"))
    .addFlag({ name: "check", description: "Exit code 1 when it is not as desired" })
    .addFlag({ name: "json", description: "Print one JSON object" })
    .setAction(action(async () => (await import("../status.ts")).status))
    .build(),
  withAct(
    task(["guard", "apply"], "Bring the guard to the state in <chainId>.desired.json; a dry run by default"),
  )
    .setAction(action(async () => (await import("../apply.ts")).apply))
    .build(),
  routeTask(true),
  routeTask(false),
  recipientTask(true),
  recipientTask(false),
  withAct(task(["guard", "unpause"], "Allow trading again"))
    .setAction(action(async () => (await import("../unpause.ts")).unpause))
    .build(),
  withAct(task(["guard", "renew-executor"], "Have the guard deploy a fresh executor and trade through it"))
    .setAction(action(async () => (await import("../renewExecutor.ts")).renewExecutor))
    .build(),
  withAct(task(["guard", "transfer-admin"], "Propose the next admin, who then has to accept"))
    .addPositionalArgument({ name: "newAdmin", description: "The successor, or none to withdraw a proposal" })
    .setAction(action(async () => (await import("../transferAdmin.ts")).transferAdmin))
    .build(),
  withAct(task(["guard", "accept-admin"], "Take over as the admin; for the proposed admin"))
    .setAction(action(async () => (await import("../acceptAdmin.ts")).acceptAdmin))
    .build(),
  withDir(task(["guard", "service-file"], "Write the service's DEPLOYMENT_FILE from the records"))
    .addOption(text("out", "The file to write; without this, it is printed"))
    .addOption(text("logKey", "Verifier key of the decision log, for the record and the file"))
    .addOption(text("adminTx", "Transactions of a Safe that changed the guard, for the record and the file"))
    .setAction(action(async () => (await import("../serviceFile.ts")).serviceFile))
    .build(),
  withDir(task(["guard", "market-file"], "Check a market file against the chain before it is used"))
    .addOption(text("file", "The file; by default <chainId>.market.json of the records"))
    .setAction(action(async () => (await import("../marketFile.ts")).marketFile))
    .build(),
  withDir(task(["guard", "verify"], "Publish the source of guard and executor on the chain's explorers"))
    .setAction(action(async () => (await import("../verify.ts")).verifyOnExplorers))
    .build(),
  withDir(
    task(
      ["guard", "verify-build"],
      "Compile this source and show whether the code of the deployed guard and executor is it",
    ),
  )
    .addOption(text("guard", "The guard's address; by default that of the records"))
    .addFlag({ name: "json", description: "Print one JSON object" })
    .setAction(action(async () => (await import("../verifyBuild.ts")).verifyBuildHere))
    .build(),
];
