/** `deploy`: a guard on a chain, checked before, read back and recorded after. */

import { rm } from "node:fs/promises";
import type { ArtifactResolver } from "@nomicfoundation/ignition-core";
import { ZeroAddress } from "ethers";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import { describeEvent } from "../chain/guard/events.ts";
import { type AdminAccount, openAccounts } from "./accounts/accounts.ts";
import { assertControlled } from "./accounts/control.ts";
import { AdminError, EXIT, type ExitCode } from "./adminErrors.ts";
import { readBuild } from "./deploy/build.ts";
import { assertRoles, type Roles } from "./deploy/checks.ts";
import { type Deploying, ignite, journalDir } from "./deploy/ignite.ts";
import { readBack } from "./deploy/readBack.ts";
import { assertSame, DeploymentRecord, knownDeployment, readRecord } from "./deploy/record.ts";
import { nextSteps, remember } from "./deploy/remember.ts";
import { showDeployment } from "./deploy/showDeployment.ts";
import { writeJson } from "./records/files.ts";
import { openRecords } from "./records/records.ts";
import { type Connection, withConnection } from "./session/connect.ts";
import { type AdminContext, REPOSITORY } from "./session/context.ts";
import { addressFrom, assertConfirmed, inWords } from "./session/session.ts";
import type { ActArguments } from "./transactions/carryOut.ts";

const LIVE_DELAY_SECONDS = 86_400;
const LEAST_DELAY_SECONDS = 3_600;

export interface DeployArguments extends Pick<ActArguments, "execute" | "yes" | "reason"> {
  readonly admin: string;
  readonly pauser: string;
  readonly signer: string;
  readonly adminIsDeployer?: boolean;
  /** Delay of every change that permits more, in seconds; a day by default, and nothing on the local chain. */
  readonly delay?: string | undefined;
  /** The admin's signature of `adminText`, where it has no code and no key here. */
  readonly adminProof?: string | undefined;
  readonly from?: string | undefined;
}

export interface DeployTools {
  readonly artifacts: ArtifactResolver;
  readonly root: string;
}

/** @returns the exit code */
export async function deployGuard(
  world: AdminContext,
  args: DeployArguments,
  tools: DeployTools,
): Promise<ExitCode> {
  return await inWords(world, async () => {
    const addresses = {
      admin: addressFrom(args.admin, "The admin"),
      pauser: args.pauser === "none" ? null : addressFrom(args.pauser, "The pauser"),
      signer: addressFrom(args.signer, "The attestation key"),
    };
    if (Object.values(addresses).includes(ZeroAddress))
      throw new AdminError("usage", "The zero address cannot hold a role; use --pauser none for no pauser.");
    return await withConnection(world, async (connection) => {
      const roles: Roles = { ...addresses, delay: delayOf(args.delay, connection.live) };
      const records = openRecords(world.deploymentsDir, connection.chainId);
      const known = await knownDeployment(connection, records);
      if (known !== null) {
        assertSame(records, known, roles);
        world.print(
          `Nothing to do: the guard ${known.guard} was deployed in block ${known.deployedAtBlock}.`,
        );
        return EXIT.ok;
      }
      const build = await readBuild(tools.artifacts, tools.root);
      const accounts = await openAccounts(world, connection);
      const account = deployerOf(accounts, connection, args.from);
      assertRoles(roles, account.address, {
        live: connection.live,
        adminIsDeployer: args.adminIsDeployer ?? false,
      });
      const own = accounts.map(({ address }) => address);
      await assertControlled(connection, roles.admin, own, args.adminProof);
      const dir = journalDir(world.deploymentsDir, connection.chainId);
      const deploying: Deploying = { world, connection, records, build, roles, account, dir };
      await showDeployment(deploying, args.reason);
      if (!args.execute) {
        world.print("Dry run: nothing was sent. --execute deploys.");
        return EXIT.ok;
      }
      return await carryOut(deploying, args, tools.artifacts);
    });
  });
}

/** @throws AdminError `usage` */
function delayOf(text: string | undefined, live: boolean): number {
  if (text === undefined) return live ? LIVE_DELAY_SECONDS : 0;
  if (!/^\d{1,7}$/.test(text)) throw new AdminError("usage", "--delay must be a number of seconds.");
  if (live && Number(text) < LEAST_DELAY_SECONDS)
    throw new AdminError(
      "refused",
      `A delay of ${text} s is too short for anybody to notice a theft and cancel: --delay ${LEAST_DELAY_SECONDS} at least.`,
    );
  return Number(text);
}

function deployerOf(
  accounts: readonly AdminAccount[],
  connection: Connection,
  from: string | undefined,
): AdminAccount {
  if (from === undefined) return accounts[0]!;
  const address = addressFrom(from, "--from");
  const account = accounts.find((candidate) => candidate.address === address);
  if (account === undefined)
    throw new AdminError("no_account", `The network "${connection.networkName}" has no key of ${address}.`);
  return account;
}

async function carryOut(
  deploying: Deploying,
  args: DeployArguments,
  artifacts: ArtifactResolver,
): Promise<ExitCode> {
  const { world, connection, records, build, account, dir } = deploying;
  await assertConfirmed(deploying, args.yes, `Deploy to chain ${connection.chainId} as ${account.address}?`);
  // A local chain that began anew makes its journal a tale of another world.
  const isStale = !connection.live && (await readRecord({ records })) !== null;
  if (isStale) await rm(dir, { recursive: true, force: true });
  const deployed = await ignite(deploying, artifacts);
  const { events, gasUsed, nonce, ...fromChain } = await readBack(deploying, deployed);
  const record: DeploymentRecord = DeploymentRecord.parse({
    schema: "assay.deployed/1",
    chainId: connection.chainId,
    network: connection.networkName,
    ...fromChain,
    compiler: build.compiler,
    commit: await world.commit(),
    actor: world.actor,
  });
  await remember(deploying, record, { events, gasUsed, nonce, reason: args.reason ?? null });
  await writeJson(records.path("json"), record);
  world.print(`sent       ${record.transaction}`);
  world.print(`confirmed  block ${record.deployedAtBlock}, gas ${gasUsed.toLocaleString("en-US")}`);
  for (const event of events) world.print(`   event     ${describeEvent(event)}`);
  world.print(
    `   read back guard ${record.guard}, manager ${record.manager}, executor ${record.executor}: code and roles as intended`,
  );
  world.print(`Recorded in ${records.path("json")} and ${records.path("history.jsonl")}.`);
  world.print("");
  for (const line of nextSteps(record, connection.live)) world.print(line);
  return EXIT.ok;
}

/** With the contracts that were compiled here. */
export async function deployHere(
  world: AdminContext,
  { admin, pauser, signer, ...rest }: Partial<DeployArguments>,
  hre: HardhatRuntimeEnvironment,
): Promise<ExitCode> {
  if (admin === undefined || pauser === undefined || signer === undefined)
    throw new AdminError("usage", "deploy needs --admin, --pauser (an address, or none) and --signer.");
  const { HardhatArtifactResolver } = await import("@nomicfoundation/hardhat-ignition/helpers");
  const tools = { artifacts: new HardhatArtifactResolver(hre.artifacts), root: REPOSITORY };
  return await deployGuard(world, { admin, pauser, signer, ...rest }, tools);
}
