/** `guard verify`: has explorers show the source of what was deployed. */
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import { AdminError, EXIT, type ExitCode } from "./adminErrors.ts";
import { PARTS } from "./deploy/build.ts";
import { type DeploymentRecord, readRecord } from "./deploy/record.ts";
import { openRecords } from "./records/records.ts";
import type { AdminContext } from "./session/context.ts";
import { inWords } from "./session/session.ts";

/** Etherscan's API serves BscScan too, with one key; Sourcify asks for none. */
const EXPLORERS = ["etherscan", "sourcify"] as const;
type Explorer = (typeof EXPLORERS)[number];
type Verification = ReturnType<typeof verificationsOf>[number];

/**
 * @param submit hands one contract to one explorer; throws with the explorer's reason
 * @returns the exit code: 1 when no explorer took one of the contracts
 */
export async function verifySource(
  world: AdminContext,
  submit: (verification: Verification, explorer: Explorer) => Promise<boolean>,
): Promise<ExitCode> {
  return await inWords(world, async () => {
    const { chainId, name } = world.network;
    const record =
      chainId === null ? null : await readRecord({ records: openRecords(world.deploymentsDir, chainId) });
    if (record === null)
      throw new AdminError(
        "no_guard",
        `According to the records here, nothing was deployed on the network "${name}".`,
      );
    let code: ExitCode = EXIT.ok;
    for (const verification of verificationsOf(record)) {
      const taken: Explorer[] = [];
      for (const explorer of EXPLORERS)
        try {
          if (await submit(verification, explorer)) taken.push(explorer);
        } catch (error) {
          // Hardhat's own words, which say what to set or to wait for.
          world.printError(`${explorer}: ${error instanceof Error ? error.message : String(error)}`);
        }
      const what = `${verification.contract} at ${verification.address}`;
      world.print(taken.length === 0 ? `NOT verified: ${what}` : `Verified by ${taken.join(", ")}: ${what}`);
      if (taken.length === 0) code = EXIT.failed;
    }
    return code;
  });
}

/** Through Hardhat, which knows the explorers. */
export async function verifyOnExplorers(
  world: AdminContext,
  _args: object,
  hre: HardhatRuntimeEnvironment,
): Promise<ExitCode> {
  const { verifyContract } = await import("@nomicfoundation/hardhat-verify/verify");
  return await verifySource(world, (verification, provider) =>
    verifyContract({ ...verification, provider }, hre),
  );
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
