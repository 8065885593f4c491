/** The deployment itself, through Hardhat Ignition: its journal lets a run that was cut off be taken up again. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  type ArtifactResolver,
  buildModule,
  type DeploymentResult,
  deploy,
  listTransactions,
} from "@nomicfoundation/ignition-core";
import { getAddress, getCreateAddress, type JsonRpcProvider, toBigInt, toNumber, ZeroAddress } from "ethers";
import type { AdminAccount } from "../accounts/accounts.ts";
import { AdminError } from "../adminErrors.ts";
import type { Records } from "../records/records.ts";
import type { Connection } from "../session/connect.ts";
import type { AdminContext } from "../session/context.ts";
import { broadcast } from "../transactions/send.ts";
import { type Build, DEPLOYMENT_NAME } from "./build.ts";
import type { Roles } from "./checks.ts";

const MODULE_ID = "TradeGuard";
/** Blocks on top before the deployment counts. The local chain mines only when something happens. */
const CONFIRMATIONS = { local: 1, live: 3 };
const BLOCK_POLLING_MS = { local: 100, live: 1_000 };

export interface Deploying {
  readonly world: AdminContext;
  readonly connection: Connection;
  readonly records: Records;
  readonly build: Build;
  readonly roles: Roles;
  readonly account: AdminAccount;
  readonly dir: string;
}

/** As Hardhat Ignition takes it: one contract, which creates manager and guard, and the guard its executor. */
const tradeGuardModule = buildModule(MODULE_ID, (m) => {
  const deployment = m.contract(
    // By its full name in the artifacts, and by a short one in the journal.
    DEPLOYMENT_NAME,
    ["admin", "pauser", "signer", "delay"].map((name) => m.getParameter(name)),
    { id: "GuardDeployment" },
  );
  return { deployment };
});

/** What a deployment creates, from its own address. */
export function placesOf(deployment: string): { readonly manager: string; readonly guard: string } {
  const at = (nonce: number) => getCreateAddress({ from: deployment, nonce });
  return { manager: at(1), guard: at(2) };
}

/** Where the journal of a chain is; `hardhat ignition` finds it there as `chain-<id>`. */
export function journalDir(deploymentsDir: string, chainId: number): string {
  return join(deploymentsDir, "ignition", "deployments", `chain-${chainId}`);
}

export function hasJournal(dir: string): boolean {
  return existsSync(join(dir, "journal.jsonl"));
}

export interface Deployed {
  readonly deployment: string;
  readonly transaction: string;
}

/**
 * Deploys, or takes up what an earlier run began.
 * @throws AdminError `refused` when the journal is of another deployment; `not_as_sent` when it failed
 */
export async function ignite(
  { connection, account, roles, dir }: Deploying,
  artifacts: ArtifactResolver,
): Promise<Deployed> {
  const pace = connection.live ? "live" : "local";
  const result = await deploy({
    config: { requiredConfirmations: CONFIRMATIONS[pace], blockPollingInterval: BLOCK_POLLING_MS[pace] },
    provider: ignitionProvider(connection.provider, account, connection.chainId),
    deploymentDir: dir,
    artifactResolver: artifacts,
    ignitionModule: tradeGuardModule,
    deploymentParameters: {
      [MODULE_ID]: { ...roles, pauser: roles.pauser ?? ZeroAddress },
    },
    accounts: [account.address],
    defaultSender: account.address,
  });
  const future = tradeGuardModule.results.deployment.id;
  const contract = result.type === "SUCCESSFUL_DEPLOYMENT" ? result.contracts[future] : undefined;
  if (contract === undefined) throw failure(result, dir);
  const deployment = getAddress(contract.address);
  const sent = await listTransactions(dir, artifacts);
  const creation = sent.find(({ address }) => address !== undefined && getAddress(address) === deployment);
  if (creation === undefined)
    throw new AdminError(
      "not_as_sent",
      `The journal in ${dir} names no transaction that created ${deployment}.`,
    );
  return { deployment, transaction: creation.txHash };
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

type Request = { readonly method: string; readonly params?: readonly unknown[] | object };

/** The connection as Ignition wants it: its transactions are signed by one account of ours, never by the node. */
function ignitionProvider(provider: JsonRpcProvider, account: AdminAccount, chainId: number) {
  return {
    async request({ method, params = [] }: Request): Promise<unknown> {
      if (method === "eth_accounts") return [account.address];
      if (method !== "eth_sendTransaction") return await provider.send(method, params as unknown[]);
      const [fields] = params as [Record<string, string>];
      const transaction = {
        chainId,
        from: account.address,
        to: fields.to ?? null,
        data: fields.data ?? "0x",
        nonce: toNumber(fields.nonce ?? 0),
        gasLimit: toBigInt(fields.gas ?? 0),
        maxFeePerGas: toBigInt(fields.maxFeePerGas ?? fields.gasPrice ?? 0),
        maxPriorityFeePerGas: toBigInt(fields.maxPriorityFeePerGas ?? fields.gasPrice ?? 0),
      };
      const raw = await account.sign(transaction);
      return raw === null ? await account.send(transaction) : await broadcast(provider, raw);
    },
  };
}
