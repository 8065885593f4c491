import type { NewTaskActionFunction } from "hardhat/types/tasks";
import { type PendingArguments, pending } from "../../admin/commands/pending.ts";
import { runAdmin } from "../run.ts";

type Arguments = PendingArguments & { readonly dir?: string };

const action: NewTaskActionFunction<Arguments> = (args, hre) =>
  runAdmin(hre, args, (world) => pending(world, args));

export default action;
