/** What an admin runs against the guard, for hardhat.config.ts. The actions are loaded when they run, and not before. */
import { emptyTask } from "hardhat/config";
import type { TaskDefinition } from "hardhat/types/tasks";
import { DEPLOY_TASKS } from "./deploy.ts";
import { GUARD_TASKS } from "./guard.ts";
import { URGENT_TASKS } from "./urgent.ts";

export const TASKS: TaskDefinition[] = [
  emptyTask("guard", "Inspect and administer the guard").build(),
  ...GUARD_TASKS,
  ...URGENT_TASKS,
  ...DEPLOY_TASKS,
];
