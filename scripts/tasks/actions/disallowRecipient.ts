import type { NewTaskActionFunction } from "hardhat/types/tasks";
import { type RecipientArguments, setRecipient } from "../../admin/commands/allowlist.ts";
import { runAdmin } from "../run.ts";
import { typedPath } from "../world.ts";

type Arguments = RecipientArguments & { readonly dir?: string };

const action: NewTaskActionFunction<Arguments> = (args, hre) =>
  runAdmin(hre, args, (world) => setRecipient(world, { ...args, safe: typedPath(args.safe) }, false));

export default action;
