/** What an admin runs against the guard, for hardhat.config.ts. */
import { emptyTask, task } from "hardhat/config";
import type { TaskDefinition } from "hardhat/types/tasks";
import type { RecipientArguments, RouteArguments } from "../allow.ts";
import type { RoleArguments } from "../roles.ts";
import { MANDATE_TASKS } from "./mandate.ts";
import { action, EXECUTE, REASON, text, withAct, withDir, YES } from "./options.ts";

const reading = (name: string, description: string) => withDir(task(["guard", name], description));
const acting = (name: string, description: string) => withAct(task(["guard", name], description));

const routeTask = (allowed: boolean) =>
  acting(
    allowed ? "allow-route" : "disallow-route",
    allowed ? "Allow trades to use a function of a router" : "Take a function of a router off the list",
  )
    .addPositionalArgument({ name: "route", description: "The router's address" })
    .addPositionalArgument({
      name: "selector",
      description: "0x and 8 digits, a whole signature, or the name of a known router function",
    })
    .setAction(
      action(async () => {
        const { setRoute } = await import("../allow.ts");
        return (world, args: RouteArguments) => setRoute(world, args, allowed);
      }),
    )
    .build();

const recipientTask = (allowed: boolean) =>
  acting(
    allowed ? "allow-recipient" : "disallow-recipient",
    allowed ? "Allow trades of any owner to pay an address" : "Take a recipient off the list",
  )
    .addPositionalArgument({ name: "recipient", description: "The recipient's address" })
    .setAction(
      action(async () => {
        const { setRecipient } = await import("../allow.ts");
        return (world, args: RecipientArguments) => setRecipient(world, args, allowed);
      }),
    )
    .build();

const roleTask = (granted: boolean) =>
  acting(
    granted ? "grant-role" : "revoke-role",
    granted
      ? "Make an account an admin or a pauser"
      : "Take the role of an admin or a pauser from an account",
  )
    .addPositionalArgument({ name: "role", description: "admin or pauser" })
    .addPositionalArgument({ name: "account", description: "The account's address" })
    .addOption(text("adminProof", "Signature by which a new admin without code shows its key"))
    .setAction(
      action(async () => {
        const { changeRole } = await import("../roles.ts");
        return (world, args: RoleArguments) => changeRole(world, args, granted);
      }),
    )
    .build();

/** What an admin does in peace. */
const GUARD_TASKS: TaskDefinition[] = [
  reading("status", "Show the guard's whole state, and whether it is as desired")
    .addFlag({ name: "check", description: "Exit code 1 when it is not as desired" })
    .addFlag({ name: "json", description: "Print one JSON object" })
    .setAction(action(async () => (await import("../status.ts")).status))
    .build(),
  acting("apply", "Bring the guard to the state in <chainId>.desired.json; a dry run by default")
    .setAction(action(async () => (await import("../apply.ts")).apply))
    .build(),
  routeTask(true),
  routeTask(false),
  recipientTask(true),
  recipientTask(false),
  acting("unpause", "Allow trading again")
    .setAction(action(async () => (await import("../unpause.ts")).unpause))
    .build(),
  roleTask(true),
  roleTask(false),
  acting("scheduled", "Show what waits for its delay; execute what is ready, or cancel it")
    .addFlag({ name: "ready", description: "Execute what one caller scheduled and is ready" })
    .addOption(text("cancel", "Cancel an operation by its id, or all"))
    .setAction(action(async () => (await import("../scheduled.ts")).scheduled))
    .build(),
  reading("service-file", "Write the service's DEPLOYMENT_FILE from the records")
    .addOption(text("out", "The file to write; without this, it is printed"))
    .addOption(text("logKey", "Verifier key of the decision log, for the record and the file"))
    .setAction(action(async () => (await import("../serviceFile.ts")).serviceFile))
    .build(),
  reading("market-file", "Check a market file against the chain before it is used")
    .addOption(text("file", "The file; by default <chainId>.market.json of the records"))
    .setAction(action(async () => (await import("../marketFile.ts")).marketFile))
    .build(),
  reading("verify", "Publish the source of manager, guard and executor on the chain's explorers")
    .setAction(action(async () => (await import("../verify.ts")).verifyOnExplorers))
    .build(),
  reading(
    "verify-build",
    "Show whether the code of the deployed guard, manager and executor is what this source compiles to",
  )
    .addOption(text("guard", "The guard's address; by default that of the records"))
    .addFlag({ name: "json", description: "Print one JSON object" })
    .setAction(action(async () => (await import("../verifyBuild.ts")).verifyBuildHere))
    .build(),
];

/** For a bad night: stop trading, change the attestation key, look after a transaction that is out. */
const URGENT_TASKS: TaskDefinition[] = [
  acting(
    "pause",
    "Stop all trading as fast as the chain allows; needs --reason, and --execute to take effect",
  )
    .setAction(action(async () => (await import("../pause.ts")).pause))
    .build(),
  acting(
    "rotate-signer",
    "Replace the attestation key, which ends certificates of the old one; a dry run by default",
  )
    .addOption(text("proof", "File that `npm run --silent assay -- keystore prove` printed"))
    .addOption(text("service", "Where the service listens, to ask which key it holds"))
    .setAction(action(async () => (await import("../rotateSigner.ts")).rotateSignerHere))
    .build(),
  reading("pending", "Show a transaction that no run saw finish, and finish it")
    .addFlag({ name: "resend", description: "Send it to the node again" })
    .addFlag({ name: "bump", description: "Offer more for the same nonce" })
    .addFlag({ name: "cancel", description: "Use its nonce up with an empty transaction" })
    .addFlag(EXECUTE)
    .addFlag(YES)
    .setAction(action(async () => (await import("../pending.ts")).pending))
    .build(),
];

export const TASKS: TaskDefinition[] = [
  emptyTask("guard", "Inspect and administer the guard").build(),
  ...GUARD_TASKS,
  ...URGENT_TASKS,
  ...MANDATE_TASKS,
  withDir(task("deploy", "Deploy the guard; a dry run by default"))
    .addOption(text("admin", "The guard's admin (such as a Safe); required"))
    .addOption(text("pauser", "The account that may pause besides the admin, or none; required"))
    .addOption(text("signer", "Address of the attestation key; required"))
    .addOption(text("delay", "Delay of every change that permits more, in seconds; a day by default"))
    .addOption(text("adminProof", "Signature by which an admin without code shows its key"))
    .addFlag({ name: "adminIsDeployer", description: "Allow the deploying account to be the admin" })
    .addFlag(EXECUTE)
    .addFlag(YES)
    .addOption(REASON)
    .addOption(text("from", "The account of the network that deploys; the first by default"))
    .setAction(action(async () => (await import("../deploy.ts")).deployHere))
    .build(),
];
