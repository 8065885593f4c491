/** The tasks of a bad night: stop trading, change the attestation key, look after a transaction that is out. */
import { task } from "hardhat/config";
import type { TaskDefinition } from "hardhat/types/tasks";
import { withAct } from "./options.ts";

export const URGENT_TASKS: TaskDefinition[] = [
  withAct(task(["guard", "pause"], "Stop all trading, as fast as the chain lets it; needs --reason"))
    .setAction(() => import("./actions/pause.ts"))
    .build(),
];
