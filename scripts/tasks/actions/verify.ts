import { verifyContract } from "@nomicfoundation/hardhat-verify/verify";
import type { NewTaskActionFunction } from "hardhat/types/tasks";
import { verifySource } from "../../admin/commands/verify.ts";
import { runAdmin } from "../run.ts";

const action: NewTaskActionFunction<{ readonly dir?: string }> = (args, hre) =>
  runAdmin(hre, args, (world) =>
    verifySource(world, (verification, explorer) =>
      verifyContract(
        { ...verification, constructorArgs: [...verification.constructorArgs], provider: explorer },
        hre,
      ),
    ),
  );

export default action;
