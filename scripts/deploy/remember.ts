/** The history's line of a deployment, and what comes next. */
import { ZeroAddress } from "ethers";
import type { Deploying } from "./ignite.ts";
import type { FromChain } from "./readBack.ts";
import type { DeploymentRecord } from "./record.ts";

/** No route is allowed yet, so nothing can be traded. */
export function nextSteps({ chainId, network }: DeploymentRecord, live: boolean): string[] {
  return [
    "Next:",
    ...(live
      ? [`  npx hardhat guard verify --network ${network}   publishes the source on the explorers`]
      : []),
    `  npx hardhat guard apply --network ${network}    routes and recipients, from ${chainId}.desired.json`,
    `  npx hardhat guard service-file --network ${network}   the service's DEPLOYMENT_FILE, with ${chainId}.market.json`,
  ];
}

/** Once, however often a run was cut off. @throws AdminError `unreadable_file` */
export async function remember(
  { world, connection, records }: Deploying,
  record: DeploymentRecord,
  found: Pick<FromChain, "events" | "gasUsed" | "nonce"> & { readonly reason: string | null },
): Promise<void> {
  const { events, gasUsed, nonce, reason } = found;
  // A run that was cut off right here has written it already.
  if (await records.historyHas({ from: record.deployer, nonce, transaction: record.transaction })) return;
  await records.appendHistory({
    at: new Date(world.now()).toISOString(),
    chainId: connection.chainId,
    network: connection.networkName,
    command: "deploy",
    actor: world.actor,
    commit: record.commit,
    reason,
    guard: record.guard,
    from: record.deployer,
    call: { name: "constructor", args: Object.values(record.constructorArguments).map(String) },
    line: `deploy the guard ${record.guard} with the manager ${record.manager} and the executor ${record.executor}`,
    nonce,
    transaction: record.transaction,
    outcome: "confirmed",
    block: record.deployedAtBlock,
    gasUsed: gasUsed.toString(),
    events: [...events],
    readBack: [
      { what: "admin", value: record.roles.admin, asSent: true },
      { what: "pauser", value: record.roles.pauser ?? ZeroAddress, asSent: true },
      { what: "signer", value: record.roles.signer, asSent: true },
      { what: "code hash", value: record.codeHash.guard, asSent: true },
    ],
  });
}
