import { HardhatArtifactResolver } from "@nomicfoundation/hardhat-ignition/helpers";
import type { NewTaskActionFunction } from "hardhat/types/tasks";
import { type DeployArguments, deployGuard } from "../../admin/commands/deploy.ts";
import { AdminError } from "../../admin/errors.ts";
import { REPOSITORY } from "../paths.ts";
import { runAdmin } from "../run.ts";

type Arguments = Partial<DeployArguments> & { readonly dir?: string };

const action: NewTaskActionFunction<Arguments> = ({ admin, pauser, signer, ...rest }, hre) =>
  runAdmin(hre, rest, (world) => {
    if (admin === undefined || pauser === undefined || signer === undefined)
      throw new AdminError("usage", "deploy needs --admin, --pauser (an address, or none) and --signer.");
    const tools = { artifacts: new HardhatArtifactResolver(hre.artifacts), root: REPOSITORY };
    return deployGuard(world, { admin, pauser, signer, ...rest }, tools);
  });

export default action;
