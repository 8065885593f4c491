import type { NewTaskActionFunction } from "hardhat/types/tasks";
import { type TransferArguments, transferAdmin } from "../../admin/commands/adminTransfer.ts";
import { runAdmin } from "../run.ts";
import { typedPath } from "../world.ts";

type Arguments = TransferArguments & { readonly dir?: string };

const action: NewTaskActionFunction<Arguments> = (args, hre) =>
  runAdmin(hre, args, (world) => transferAdmin(world, { ...args, safe: typedPath(args.safe) }));

export default action;
