/** `guard service-file`: joins the record of the deployment and the market's file into the service's DEPLOYMENT_FILE. */
import type { NewTaskActionFunction } from "hardhat/types/tasks";
import { z } from "zod";
import { Deployment } from "../chain/deployment.ts";
import { readRecord } from "./deploy/record.ts";
import { parseJson, readJson, writeJson } from "./records/files.ts";
import { openRecords } from "./records/records.ts";
import { AdminError, EXIT, type ExitCode } from "./session/adminErrors.ts";
import type { AdminContext } from "./session/context.ts";
import { runAdmin, type TaskArguments, typedPath } from "./session/runAdmin.ts";
import { inWords } from "./session/session.ts";

/** What the record says; everything else of a DEPLOYMENT_FILE is the market's: tokens, routes, where facts come from. */
const OF_THE_RECORD = ["chainId", "guard", "executor", "deployedAtBlock"];

const Market = z
  .record(z.string(), z.unknown())
  .refine((market) => OF_THE_RECORD.every((name) => !(name in market)), {
    message: `must not hold ${OF_THE_RECORD.join(", ")}: those come from the record`,
  });

/** @param args.out the file to write; printed when it is left out. @returns the exit code */
export async function serviceFile(
  world: AdminContext,
  args: { out?: string | undefined },
): Promise<ExitCode> {
  return await inWords(world, async () => {
    const { chainId } = world.network;
    if (chainId === null)
      throw new AdminError(
        "wrong_network",
        `The network "${world.network.name}" has no chainId: --network bsc.`,
      );
    const records = openRecords(world.deploymentsDir, chainId);
    const record = await readRecord({ records });
    if (record === null)
      throw new AdminError("no_guard", `There is no ${records.path("json")}: the task "deploy" writes it.`);
    const marketFile = records.path("market.json");
    const market = await readJson(marketFile, Market);
    if (market === null)
      throw new AdminError(
        "unreadable_file",
        `There is no ${marketFile}: it says what may be traded (source, registry, references, offchain, tokens; deployments/README.md).`,
      );
    const { guard, executor, deployedAtBlock } = record;
    const joined = { chainId, guard, executor, deployedAtBlock, ...market };
    const deployment = parseJson(marketFile, JSON.stringify(joined), Deployment);
    if (args.out === undefined) world.print(JSON.stringify(deployment, null, 2));
    else {
      await writeJson(args.out, deployment);
      world.print(`Wrote ${args.out}: the service takes it as DEPLOYMENT_FILE.`);
    }
    return EXIT.ok;
  });
}

const action: NewTaskActionFunction<TaskArguments<{ readonly out?: string }>> = (args, hre) =>
  runAdmin(hre, args, (world) => serviceFile(world, { out: typedPath(args.out) }));

export default action;
