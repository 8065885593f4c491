/** The tasks of a bad night: stop trading, change the attestation key, look after a transaction that is out. */
import { task } from "hardhat/config";
import type { TaskDefinition } from "hardhat/types/tasks";
import { action, EXECUTE, text, withAct, withDir, YES } from "./options.ts";

export const URGENT_TASKS: TaskDefinition[] = [
  withAct(
    task(
      ["guard", "pause"],
      "Stop all trading as fast as the chain allows; needs --reason, and --execute to take effect",
    ),
  )
    .setAction(action(async () => (await import("../pause.ts")).pause))
    .build(),
  withAct(
    task(
      ["guard", "rotate-signer"],
      "Make the guard accept certificates of another key; a dry run by default",
    ),
  )
    .addOption(text("proof", "File that `npm run --silent assay -- keystore prove` printed"))
    .addOption(text("overlap", "Seconds for which certificates of the old key still count, 0 to 3600"))
    .addFlag({ name: "immediate", description: "End the old key at once, because others may know it" })
    .addOption(text("service", "Where the service listens, to ask which key it holds"))
    .setAction(action(async () => (await import("../rotateSigner.ts")).rotateSignerHere))
    .build(),
  withDir(task(["guard", "pending"], "Show a transaction that no run saw finish, and finish it"))
    .addFlag({ name: "resend", description: "Send it to the node again" })
    .addFlag({ name: "bump", description: "Offer more for the same nonce" })
    .addFlag({ name: "cancel", description: "Use its nonce up with an empty transaction" })
    .addFlag(EXECUTE)
    .addFlag(YES)
    .setAction(action(async () => (await import("../pending.ts")).pending))
    .build(),
];
