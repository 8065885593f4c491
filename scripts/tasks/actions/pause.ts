import type { NewTaskActionFunction } from "hardhat/types/tasks";
import type { ActArguments } from "../../admin/commands/options.ts";
import { pause } from "../../admin/commands/pause.ts";
import { runAdmin } from "../run.ts";
import { typedPath } from "../world.ts";

type Arguments = ActArguments & { readonly dir?: string };

const action: NewTaskActionFunction<Arguments> = (args, hre) =>
  runAdmin(hre, args, (world) => pause(world, { ...args, safe: typedPath(args.safe) }));

export default action;
