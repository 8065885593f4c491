/** The deployment itself, through Hardhat Ignition: its journal lets a run that was cut off be taken up again. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  type ArtifactResolver,
  type DeploymentResult,
  deploy,
  listTransactions,
} from "@nomicfoundation/ignition-core";
import { getAddress, ZeroAddress } from "ethers";
import type { AdminAccount } from "../accounts/accounts.ts";
import { AdminError } from "../adminErrors.ts";
import type { Connection } from "../session/connect.ts";
import type { Roles } from "./checks.ts";
import { MODULE_ID, tradeGuardModule } from "./module.ts";
import { ignitionProvider } from "./provider.ts";

/** Blocks on top before the deployment counts. The local chain mines only when something happens. */
const CONFIRMATIONS = { local: 1, live: 3 };
const BLOCK_POLLING_MS = { local: 100, live: 1_000 };

/** Where the journal of a chain is; `hardhat ignition` finds it there as `chain-<id>`. */
export function journalDir(deploymentsDir: string, chainId: number): string {
  return join(deploymentsDir, "ignition", "deployments", `chain-${chainId}`);
}

export function hasJournal(dir: string): boolean {
  return existsSync(join(dir, "journal.jsonl"));
}

export interface Deployed {
  readonly guard: string;
  readonly transaction: string;
}

/**
 * Deploys, or takes up what an earlier run began.
 * @throws AdminError `refused` when the journal is of another deployment; `not_as_sent` when it failed
 */
export async function ignite(options: {
  connection: Connection;
  account: AdminAccount;
  artifacts: ArtifactResolver;
  roles: Roles;
  dir: string;
}): Promise<Deployed> {
  const { connection, account, artifacts, roles, dir } = options;
  const pace = connection.live ? "live" : "local";
  const result = await deploy({
    config: { requiredConfirmations: CONFIRMATIONS[pace], blockPollingInterval: BLOCK_POLLING_MS[pace] },
    provider: ignitionProvider(connection.provider, account, connection.chainId),
    deploymentDir: dir,
    artifactResolver: artifacts,
    ignitionModule: tradeGuardModule,
    deploymentParameters: {
      [MODULE_ID]: { admin: roles.admin, pauser: roles.pauser ?? ZeroAddress, signer: roles.signer },
    },
    accounts: [account.address],
    defaultSender: account.address,
  });
  const future = tradeGuardModule.results.guard.id;
  const contract = result.type === "SUCCESSFUL_DEPLOYMENT" ? result.contracts[future] : undefined;
  if (contract === undefined) throw failure(result, dir);
  const guard = getAddress(contract.address);
  const sent = await listTransactions(dir, artifacts);
  const creation = sent.find(({ address }) => address !== undefined && getAddress(address) === guard);
  if (creation === undefined)
    throw new AdminError("not_as_sent", `The journal in ${dir} names no transaction that created ${guard}.`);
  return { guard, transaction: creation.txHash };
}

/** Ignition's result in a line. Its errors name futures and arguments, and nothing secret. */
function failure(result: DeploymentResult, dir: string): AdminError {
  const errors =
    "errors" in result
      ? Object.values(result.errors).flat().join(" ")
      : "failed" in result
        ? [...result.failed.map(({ error }) => error), ...result.timedOut.map(() => "timed out")].join(" ")
        : "";
  if (result.type === "RECONCILIATION_ERROR" || result.type === "PREVIOUS_RUN_ERROR")
    return new AdminError(
      "refused",
      `The journal in ${dir} belongs to another deployment, or to one that failed: move it aside to start over. ${errors}`,
    );
  return new AdminError("not_as_sent", `The deployment did not finish: run it again to continue. ${errors}`);
}
