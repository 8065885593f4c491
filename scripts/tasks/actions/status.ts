import type { NewTaskActionFunction } from "hardhat/types/tasks";
import { type StatusArguments, status } from "../../admin/commands/status.ts";
import { runAdmin } from "../run.ts";

type Arguments = StatusArguments & { readonly dir?: string };

const action: NewTaskActionFunction<Arguments> = (args, hre) =>
  runAdmin(hre, args, (world) => status(world, args));

export default action;
