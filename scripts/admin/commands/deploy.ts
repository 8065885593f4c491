/** `deploy`: a guard on a chain, checked before, read back and recorded after. */
import { rm } from "node:fs/promises";
import type { ArtifactResolver } from "@nomicfoundation/ignition-core";
import { formatEther, getCreateAddress, Interface, ZeroAddress } from "ethers";
import { upstream } from "../../../api/chain/rpc.ts";
import { type AdminAccount, openAccounts } from "../act/accounts.ts";
import { currentFees } from "../act/send.ts";
import { coinOf, gasText } from "../act/show.ts";
import { simulatedEvents } from "../act/simulate.ts";
import { type Connection, connect } from "../connect.ts";
import { type Build, readBuild } from "../deploy/build.ts";
import { assertFunded, assertRoles, type Roles } from "../deploy/checks.ts";
import { hasJournal, ignite, journalDir } from "../deploy/ignite.ts";
import { readBack } from "../deploy/readBack.ts";
import { DeploymentRecord, readRecord } from "../deploy/record.ts";
import { AdminError, EXIT, type ExitCode } from "../errors.ts";
import { describeEvent } from "../guard/abi.ts";
import { writeJson } from "../records/files.ts";
import { openRecords, type Records } from "../records/records.ts";
import { addressFrom, inWords } from "../session.ts";
import type { AdminWorld } from "../world.ts";

export interface DeployArguments {
  readonly admin: string;
  /** An address, or `none`. */
  readonly pauser: string;
  /** The attestation key's address. */
  readonly signer: string;
  readonly adminIsDeployer?: boolean;
  readonly execute?: boolean;
  readonly yes?: boolean;
  readonly reason?: string | undefined;
  /** Which account of the network deploys; the first by default. */
  readonly from?: string | undefined;
}

export interface DeployTools {
  readonly artifacts: ArtifactResolver;
  /** Of the repository. */
  readonly root: string;
}

interface Deploying {
  readonly world: AdminWorld;
  readonly connection: Connection;
  readonly records: Records;
  readonly build: Build;
  readonly roles: Roles;
  readonly account: AdminAccount;
  readonly dir: string;
}

/** @returns the exit code */
export async function deployGuard(
  world: AdminWorld,
  args: DeployArguments,
  tools: DeployTools,
): Promise<ExitCode> {
  return await inWords(world, async () => {
    const roles: Roles = {
      admin: addressFrom(args.admin, "The admin"),
      pauser: args.pauser === "none" ? null : addressFrom(args.pauser, "The pauser"),
      signer: addressFrom(args.signer, "The attestation key"),
    };
    if (roles.admin === ZeroAddress || roles.signer === ZeroAddress || roles.pauser === ZeroAddress)
      throw new AdminError(
        "usage",
        "The zero address cannot hold a role; --pauser none means that there is no pauser.",
      );
    const connection = await connect(world);
    try {
      const records = openRecords(world.deploymentsDir, connection.chainId);
      const known = await knownDeployment(connection, records);
      if (known !== null) return sameOrRefused(world, records, known, roles);
      const build = await readBuild(tools.artifacts, tools.root);
      const account = await deployerOf(world, connection, args.from);
      assertRoles(roles, account.address, {
        live: connection.live,
        adminIsDeployer: args.adminIsDeployer ?? false,
      });
      const dir = journalDir(world.deploymentsDir, connection.chainId);
      const deploying: Deploying = { world, connection, records, build, roles, account, dir };
      await show(deploying, args);
      if (!args.execute) {
        world.print("Dry run: nothing was sent. --execute deploys.");
        return EXIT.ok;
      }
      return await carryOut(deploying, args, tools.artifacts);
    } finally {
      connection.provider.destroy();
    }
  });
}

/** What was recorded, unless it is of a local chain that is no more. @throws AdminError `refused` */
async function knownDeployment(connection: Connection, records: Records): Promise<DeploymentRecord | null> {
  const record = await readRecord({ records });
  if (record === null) return null;
  if ((await upstream("code", () => connection.provider.getCode(record.guard))) !== "0x") return record;
  if (!connection.live) return null;
  throw new AdminError(
    "refused",
    `${records.path("json")} names a guard at ${record.guard}, where the chain has none: move the file aside to deploy anew.`,
  );
}

function sameOrRefused(
  world: AdminWorld,
  records: Records,
  { guard, deployedAtBlock, constructorArguments: made }: DeploymentRecord,
  { admin, pauser, signer }: Roles,
): ExitCode {
  const same =
    made.initialAdmin === admin &&
    made.initialPauser === (pauser ?? ZeroAddress) &&
    made.initialSigner === signer;
  if (!same)
    throw new AdminError(
      "refused",
      `${records.path("json")} has a guard with other roles at ${guard}: change those, or move the file aside for another guard.`,
    );
  world.print(`Nothing to do: the guard ${guard} was deployed in block ${deployedAtBlock}.`);
  return EXIT.ok;
}

async function deployerOf(
  world: AdminWorld,
  connection: Connection,
  from: string | undefined,
): Promise<AdminAccount> {
  const accounts = await openAccounts(world, connection);
  if (from === undefined) return accounts[0]!;
  const address = addressFrom(from, "--from");
  const account = accounts.find((candidate) => candidate.address === address);
  if (account === undefined)
    throw new AdminError("no_account", `The network "${connection.networkName}" has no key of ${address}.`);
  return account;
}

async function show(deploying: Deploying, args: DeployArguments): Promise<void> {
  const { world, connection, build, roles, account, dir } = deploying;
  const { provider, chainId } = connection;
  const { address: from } = account;
  const block = await upstream("block", () => provider.getBlockNumber());
  const pauser = roles.pauser ?? ZeroAddress;
  const data = `0x${build.guard.bytecode.slice(2)}${new Interface(build.guard.abi).encodeDeploy([roles.admin, pauser, roles.signer]).slice(2)}`;
  const gas = await upstream("gas estimate", () => provider.estimateGas({ from, data }));
  const { maxFeePerGas } = await currentFees({ connection });
  const balance = await assertFunded(provider, chainId, from, gas * maxFeePerGas);
  const nonce = await upstream("nonce", () => provider.getTransactionCount(from));
  const guard = getCreateAddress({ from, nonce });
  const events = await simulatedEvents(provider, guard, { from, data });
  for (const line of [
    `Chain     ${chainId} (${connection.networkName}), block ${block}`,
    `Deployer  ${from}, has ${formatEther(balance)} ${coinOf(chainId)}`,
    ...(args.reason === undefined ? [] : [`Reason    ${args.reason}`]),
    `Source    commit ${(await world.commit()) ?? "not known"}, solc ${build.compiler.version}`,
    "",
    hasJournal(dir)
      ? `1. go on with the deployment of ${dir}`
      : `1. deploy TradeGuard at ${guard}, and its executor`,
    `   change  guard on chain ${chainId}: none -> ${guard}`,
    `   call    constructor(initialAdmin: ${roles.admin}, initialPauser: ${pauser}, initialSigner: ${roles.signer})`,
    `   gas     ${gasText(gas, chainId, maxFeePerGas)} at most`,
    ...(events ?? []).map((event) => `   event   ${describeEvent(event)}`),
    "",
  ])
    world.print(line);
}

async function carryOut(
  deploying: Deploying,
  args: DeployArguments,
  artifacts: ArtifactResolver,
): Promise<ExitCode> {
  const { world, connection, records, build, roles, account, dir } = deploying;
  if (connection.live && !args.yes) {
    const question = `Deploy to chain ${connection.chainId} as ${account.address}?`;
    if (!(await world.confirm(question)))
      throw new AdminError("not_confirmed", "Nothing was sent. Without a terminal, --yes says yes.");
  }
  // A local chain that began anew makes its journal a tale of another world.
  const isStale = !connection.live && (await readRecord({ records })) !== null;
  if (isStale) await rm(dir, { recursive: true, force: true });
  const deployed = await ignite({ connection, account, artifacts, roles, dir });
  const { events, gasUsed, nonce, ...fromChain } = await readBack(connection, deployed, roles, build);
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
  world.print(`   read back guard ${record.guard}, executor ${record.executor}: code and roles as meant`);
  world.print(`Recorded in ${records.path("json")} and ${records.path("history.jsonl")}.`);
  world.print("");
  for (const line of nextSteps(record, connection.live)) world.print(line);
  return EXIT.ok;
}

/** No route is allowed yet, so nothing can be traded. */
function nextSteps({ chainId, network }: DeploymentRecord, live: boolean): string[] {
  return [
    "Next:",
    ...(live
      ? [`  npx hardhat guard verify --network ${network}   publishes the source on the explorers`]
      : []),
    `  npx hardhat guard apply --network ${network}    routes and recipients, from ${chainId}.desired.json`,
    `  npx hardhat guard service-file --network ${network}   the service's DEPLOYMENT_FILE, with ${chainId}.market.json`,
  ];
}

async function remember(
  { world, connection, records }: Deploying,
  record: DeploymentRecord,
  {
    events,
    gasUsed,
    nonce,
    reason,
  }: Pick<Awaited<ReturnType<typeof readBack>>, "events" | "gasUsed" | "nonce"> & {
    reason: string | null;
  },
): Promise<void> {
  // A run that was cut off right here has written it already.
  if ((await records.readHistory()).some(({ transaction }) => transaction === record.transaction)) return;
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
    call: { name: "constructor", args: Object.values(record.constructorArguments) },
    line: `deploy the guard ${record.guard} with the executor ${record.executor}`,
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
