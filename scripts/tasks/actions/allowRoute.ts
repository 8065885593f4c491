import type { NewTaskActionFunction } from "hardhat/types/tasks";
import { type RouteArguments, setRoute } from "../../admin/commands/allowlist.ts";
import { runAdmin } from "../run.ts";
import { typedPath } from "../world.ts";

type Arguments = RouteArguments & { readonly dir?: string };

const action: NewTaskActionFunction<Arguments> = (args, hre) =>
  runAdmin(hre, args, (world) => setRoute(world, { ...args, safe: typedPath(args.safe) }, true));

export default action;
