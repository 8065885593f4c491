import type { NewTaskActionFunction } from "hardhat/types/tasks";
import { serviceFile } from "../../admin/commands/serviceFile.ts";
import { runAdmin } from "../run.ts";
import { typedPath } from "../world.ts";

type Arguments = { readonly out?: string } & { readonly dir?: string };

const action: NewTaskActionFunction<Arguments> = (args, hre) =>
  runAdmin(hre, args, (world) => serviceFile(world, { out: typedPath(args.out) }));

export default action;
