/** `assay guard publish-source`: has explorers show the source of what was deployed. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { HardhatUserConfig } from "hardhat/config";
import { openRecords } from "../admin/records.ts";
import { ADMIN_OPTIONS, type AdminWorld, adminWorld, REPOSITORY } from "../admin/world.ts";
import { command } from "../command.ts";
import { EXIT, Unusable } from "../errors.ts";
import { PARTS } from "./build.ts";
import { type DeploymentRecord, requireRecord } from "./deployment.ts";

/** Etherscan's API serves BscScan too, with one key; Sourcify asks for none. */
const EXPLORERS = ["etherscan", "sourcify"] as const;
type Explorer = (typeof EXPLORERS)[number];
type Verification = ReturnType<typeof verificationsOf>[number];
type Submit = (verification: Verification, explorer: Explorer) => Promise<boolean>;

export const publishSource = command({
  summary: "Publish the source of manager, guard and executor on Etherscan's explorers and Sourcify",
  options: ADMIN_OPTIONS,
  notes: ["Settings: ETHERSCAN_API_KEY. Exit code 1 when no explorer took one of the contracts."],
  run: (given, outside) => {
    const world = adminWorld(outside, given);
    return submitAll(world, () => explorersOf(world));
  },
});

/**
 * @param open how to hand one contract to one explorer; it throws with the explorer's reason
 * @returns the exit code
 */
export async function submitAll(world: AdminWorld, open: () => Promise<Submit>): Promise<number> {
  const record = await requireRecord(openRecords(world.deploymentsDir, world.network.chainId));
  const submit = await open();
  let missing = 0;
  for (const verification of verificationsOf(record)) {
    const taken: Explorer[] = [];
    for (const explorer of EXPLORERS)
      try {
        if (await submit(verification, explorer)) taken.push(explorer);
      } catch (error) {
        // Hardhat's own words, which say what to set or to wait for.
        world.err(`${explorer}: ${error instanceof Error ? error.message : String(error)}`);
      }
    const what = `${verification.contract} at ${verification.address}`;
    world.out(taken.length === 0 ? `NOT verified: ${what}` : `Verified by ${taken.join(", ")}: ${what}`);
    if (taken.length === 0) missing++;
  }
  return missing === 0 ? EXIT.ok : EXIT.failed;
}

/** Through Hardhat's plugin, which knows the explorers and is among the packages of the workshop. */
async function explorersOf({ network, env }: AdminWorld): Promise<Submit> {
  try {
    const [{ createHardhatRuntimeEnvironment }, plugin, { verifyContract }, { default: config }] =
      await Promise.all([
        import("hardhat/hre"),
        import("@nomicfoundation/hardhat-verify"),
        import("@nomicfoundation/hardhat-verify/verify"),
        import(pathToFileURL(join(REPOSITORY, "hardhat.config.ts")).href) as Promise<{
          default: HardhatUserConfig;
        }>,
      ]);
    const { chainId, name } = network;
    const own = {
      ...config,
      plugins: [...(config.plugins ?? []), plugin.default],
      networks: { [name]: { type: "http" as const, chainId, url: network.url().reveal() } },
      verify: { etherscan: { apiKey: env.ETHERSCAN_API_KEY ?? "" } },
    };
    const hre = await createHardhatRuntimeEnvironment(own, { network: name }, REPOSITORY);
    return (verification, provider) => verifyContract({ ...verification, provider }, hre);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new Unusable("Hardhat's plugin for explorers is not installed: run npm run workshop first.");
  }
}

/** The manager, the guard, and the executor that its constructor created without arguments. */
function verificationsOf(record: DeploymentRecord) {
  // Sourcify wants to know the transaction.
  const { deployment, manager, guard, executor, transaction: creationTxHash } = record;
  const { initialSigner } = record.constructorArguments;
  return [
    { address: manager, contract: PARTS.manager, constructorArgs: [deployment], creationTxHash },
    { address: guard, contract: PARTS.guard, constructorArgs: [manager, initialSigner], creationTxHash },
    { address: executor, contract: PARTS.executor, constructorArgs: [], creationTxHash },
  ];
}
