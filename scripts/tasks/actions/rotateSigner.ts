import type { NewTaskActionFunction } from "hardhat/types/tasks";
import { environment } from "../../../api/config.ts";
import { type RotateArguments, rotateSigner } from "../../admin/commands/rotateSigner.ts";
import { rotationSources } from "../../admin/rotation/sources.ts";
import { runAdmin } from "../run.ts";
import { typedPath } from "../world.ts";

type Arguments = RotateArguments & { readonly dir?: string };

const action: NewTaskActionFunction<Arguments> = (args, hre) =>
  runAdmin(hre, args, (world) =>
    rotateSigner(
      world,
      { ...args, safe: typedPath(args.safe), proof: typedPath(args.proof) },
      rotationSources({ DATA_DIR: world.dataDir, DATABASE_URL: environment().DATABASE_URL }),
    ),
  );

export default action;
