/** The tasks of a bad night: stop trading, change the attestation key, look after a transaction that is out. */
import { task } from "hardhat/config";
import { ArgumentType } from "hardhat/types/arguments";
import type { TaskDefinition } from "hardhat/types/tasks";
import { withAct, withDir } from "./options.ts";

const text = (name: string, description: string) => ({
  name,
  description,
  type: ArgumentType.STRING_WITHOUT_DEFAULT as const,
  defaultValue: undefined,
});

export const URGENT_TASKS: TaskDefinition[] = [
  withAct(
    task(
      ["guard", "pause"],
      "Stop all trading, as fast as the chain lets it; needs --reason, and --execute to happen",
    ),
  )
    .setAction(() => import("../pause.ts"))
    .build(),
  withAct(
    task(["guard", "rotate-signer"], "Have the guard take certificates of another key; a dry run by default"),
  )
    .addOption(text("proof", "File that `npm run --silent assay -- keystore prove` printed"))
    .addOption(text("overlap", "Seconds that certificates of the old key count on, 0 to 3600"))
    .addFlag({ name: "immediate", description: "The old key ends at once: others may know it" })
    .addOption(text("service", "Where the service listens, to ask which key it holds"))
    .setAction(() => import("../rotateSigner.ts"))
    .build(),
  withDir(task(["guard", "pending"], "Show a transaction that no run saw to its end, and bring it to one"))
    .addFlag({ name: "resend", description: "Hand it to the node again" })
    .addFlag({ name: "bump", description: "Offer more for the same nonce" })
    .addFlag({ name: "cancel", description: "Use its nonce up with an empty transaction" })
    .addFlag({ name: "execute", description: "Send it; without, everything is shown and nothing sent" })
    .addFlag({ name: "yes", description: "Ask no question before sending on a live chain" })
    .setAction(() => import("../pending.ts"))
    .build(),
];
