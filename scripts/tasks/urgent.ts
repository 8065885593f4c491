/** The tasks of a bad night: stop trading, change the attestation key, look after a transaction that is out. */
import { task } from "hardhat/config";
import { ArgumentType } from "hardhat/types/arguments";
import type { TaskDefinition } from "hardhat/types/tasks";
import { withAct } from "./options.ts";

const text = (name: string, description: string) => ({
  name,
  description,
  type: ArgumentType.STRING_WITHOUT_DEFAULT as const,
  defaultValue: undefined,
});

export const URGENT_TASKS: TaskDefinition[] = [
  withAct(task(["guard", "pause"], "Stop all trading, as fast as the chain lets it; needs --reason"))
    .setAction(() => import("./actions/pause.ts"))
    .build(),
  withAct(
    task(["guard", "rotate-signer"], "Have the guard take certificates of another key; a dry run by default"),
  )
    .addOption(text("proof", "File that `npm run assay -- keystore prove` printed"))
    .addOption(text("overlap", "Seconds that certificates of the old key count on, 0 to 3600"))
    .addFlag({ name: "immediate", description: "The old key ends at once: others may know it" })
    .addOption(text("service", "Where the service listens, to ask which key it holds"))
    .setAction(() => import("./actions/rotateSigner.ts"))
    .build(),
];
