/**
 * `assay guard deploy`: a guard on a chain, checked before, read back and recorded after. CREATE2 puts it where its code,
 * its roles and the salt say, so a run after an interruption goes on, and a run after the end changes nothing.
 */
import { formatEther } from "ethers";
import { coinOf } from "../../attestor/chains.ts";
import { UpstreamUnavailable } from "../../chain/chainErrors.ts";
import { upstream } from "../../chain/rpc.ts";
import { type AdminAccount, openAccounts } from "../admin/accounts.ts";
import { withConnection } from "../admin/connect.ts";
import { assertControlled, assertRoles, hasCode, type Roles } from "../admin/holders.ts";
import { openRecords } from "../admin/records.ts";
import type { Session } from "../admin/session.ts";
import { adminWorld, REPOSITORY } from "../admin/world.ts";
import { command, flag, required, text, withDefault } from "../command.ts";
import { EXIT, Refused } from "../errors.ts";
import { writeJson } from "../files.ts";
import { type ActGiven, assertOneWay, SEND_OPTIONS } from "../plan/options.ts";
import { carryOutPlain, type PlainPlan } from "../plan/plain.ts";
import { tried } from "../plan/simulate.ts";
import { currentFees } from "../sending/attempt.ts";
import { reportPending } from "../sending/outcome.ts";
import { STEADY } from "../sending/paces.ts";
import { bigNumber, hash, holder, wholeNumber } from "../typed.ts";
import { readBuild } from "./build.ts";
import {
  assertSame,
  constructorArguments,
  creationOf,
  type Deploying,
  DeploymentRecord,
  knownDeployment,
  placesOf,
  readBack,
} from "./deployment.ts";

const LIVE_DELAY_SECONDS = 86_400;
const LEAST_DELAY_SECONDS = 3_600;
const MOST_DELAY_SECONDS = 9_999_999;
/** Blocks from which on the deployment counts. The local chain mines only when something happens. */
const CONFIRMATIONS = { local: 1, live: 3 };

/** A Safe cannot create contracts. */
const { safe: _, ...SENDING } = SEND_OPTIONS;

export const deploy = command({
  summary: "Deploy manager, guard and executor in one transaction; running it again changes nothing",
  options: {
    admin: required(text("ADDRESS", "the guard's admin, such as a Safe", holder)),
    pauser: required(text("ADDRESS", "the account that may pause besides the admin, or none", holderOrNone)),
    signer: required(text("ADDRESS", "the attestation key's address", holder)),
    delay: text(
      "SECONDS",
      "delay of every change that permits more; a day by default, none on the local chain",
      wholeNumber(0, MOST_DELAY_SECONDS),
    ),
    adminProof: text("SIGNATURE", "by which an admin without code shows its key"),
    adminIsDeployer: flag("allow the deploying account to be the admin"),
    salt: withDefault(text("NUMBER", "tells guards of the same code and roles apart", bigNumber), 0n),
    transaction: text("HASH", "the transaction that created it, where it is there and not found", hash),
    ...SENDING,
    reason: text("TEXT", "the reason, for the history"),
  },
  run: async (given, outside) => {
    assertOneWay(given);
    const { admin, pauser, signer, salt } = given;
    const world = adminWorld(outside, given);
    return await withConnection(world, async (connection) => {
      const roles: Roles = { admin, pauser, signer, delay: delayOf(given.delay, connection.live) };
      const records = openRecords(world.deploymentsDir, connection.chainId);
      const known = await knownDeployment(connection, records);
      if (known !== null) {
        assertSame(records, known, roles);
        world.out(`Nothing to do: the guard ${known.guard} was deployed in block ${known.deployedAtBlock}.`);
        return EXIT.ok;
      }
      const build = await readBuild(REPOSITORY);
      const places = placesOf(build, roles, salt);
      const place = { guard: places.guard, deployedAtBlock: 0, holders: [] };
      const session = { world, connection, records, place, registry: null };
      const deploying: Deploying = { session, build, roles, places };
      if (!(await hasCode(connection.provider, places.deployment.address))) {
        if (!(await created(deploying, given))) return EXIT.ok;
      } else {
        // A run that was cut off after the sending left its outcome to be told.
        await reportPending(session);
        world.out(`The guard ${places.guard} is there already, with these roles.`);
        if (!given.execute) {
          world.out("Dry run: nothing was recorded. --execute records it.");
          return EXIT.ok;
        }
      }
      await recordDeployment(deploying, given.transaction);
      return EXIT.ok;
    });
  },
});

function holderOrNone(typed: string): string | null {
  return typed === "none" ? null : holder(typed);
}

/** @throws Refused */
function delayOf(wanted: number | undefined, live: boolean): number {
  if (wanted === undefined) return live ? LIVE_DELAY_SECONDS : 0;
  if (live && wanted < LEAST_DELAY_SECONDS)
    throw new Refused(
      `A delay of ${wanted} s is too short for anybody to notice a theft and cancel: --delay ${LEAST_DELAY_SECONDS} at least.`,
    );
  return wanted;
}

type DeployGiven = ActGiven & { readonly adminProof: string | undefined; readonly adminIsDeployer: boolean };

/** Checks everything, shows it and sends it. @returns whether it was sent. @throws CommandError, UpstreamUnavailable */
async function created(deploying: Deploying, given: DeployGiven): Promise<boolean> {
  const { session, roles } = deploying;
  const { connection, world } = session;
  const accounts = await openAccounts(world, connection);
  const { address } = deployerOf(session, accounts, given.from);
  assertRoles(roles, address, { live: connection.live, adminIsDeployer: given.adminIsDeployer });
  const own = accounts.map((account) => account.address);
  await assertControlled(connection, roles.admin, own, given.adminProof);
  return await carryOutPlain(session, await creationBy(deploying, address), { ...given, from: address });
}

/** @throws Refused */
function deployerOf(
  { connection }: Session,
  accounts: readonly AdminAccount[],
  from: string | undefined,
): AdminAccount {
  if (from === undefined) return accounts[0]!;
  const account = accounts.find(({ address }) => address === from);
  if (account !== undefined) return account;
  throw new Refused(`The network "${connection.networkName}" has no key of ${from}.`);
}

async function creationBy(deploying: Deploying, deployer: string): Promise<PlainPlan> {
  const { session, build, roles, places } = deploying;
  const { world, connection } = session;
  const { manager, guard, deployment } = places;
  const values = Object.entries(constructorArguments(roles));
  const coin = coinOf(connection.chainId);
  const balance = await upstream("balance", () => connection.provider.getBalance(deployer));
  return {
    command: "guard deploy",
    line: `deploy the guard ${guard}, its manager ${manager} and its executor`,
    change: { what: `guard on chain ${connection.chainId}`, from: "none", to: guard },
    name: "constructor",
    creates: deployment.address,
    creation: {
      args: values.map(([, value]) => String(value)),
      manager,
      expects: [{ what: "signer", view: "signer", args: [], value: roles.signer }],
      decoded: `constructor(${values.map(([name, value]) => `${name}: ${value}`).join(", ")})`,
    },
    ways: [{ by: null, call: { to: deployment.to, data: deployment.data } }],
    who: "No account of this network is there to send it.",
    about: [
      `Source   commit ${(await world.commit()) ?? "not known"}, solc ${build.compiler.version}`,
      `Balance  ${formatEther(balance)} ${coin} of the deployer`,
    ],
    assertPossible: async () => {
      const { to, data } = deployment;
      const gas = await tried(connection.provider, "deploy the guard", { from: deployer, to, data });
      const cost = gas * (await currentFees(connection.provider)).maxFeePerGas;
      if (balance < cost)
        throw new Refused(
          `The deployer ${deployer} has ${formatEther(balance)} ${coin}, and the deployment may cost ${formatEther(cost)}.`,
        );
    },
  };
}

/** Once it is deep enough, what the chain has is compared with what was meant, and written down. */
async function recordDeployment(deploying: Deploying, transaction: string | undefined): Promise<void> {
  const { session, build } = deploying;
  const { world, connection, records } = session;
  const { hash, block } = await creationOf(session, deploying.places, transaction);
  await waitForDepth(deploying, block);
  const found = await readBack(deploying, hash);
  const record = DeploymentRecord.parse({
    schema: "assay.deployed/1",
    chainId: connection.chainId,
    network: connection.networkName,
    ...found,
    compiler: build.compiler,
    commit: await world.commit(),
    actor: world.actor,
  });
  await writeJson(records.path("json"), record);
  world.out("");
  world.out(
    `deployed   guard ${record.guard}, manager ${record.manager}, executor ${record.executor}: code and roles as intended`,
  );
  world.out(`Recorded in ${records.path("json")}.`);
  world.out("");
  for (const line of nextSteps(record, connection.live)) world.out(line);
}

/** @throws UpstreamUnavailable */
async function waitForDepth({ session }: Deploying, block: number): Promise<void> {
  const { world, connection } = session;
  const depth = connection.live ? CONFIRMATIONS.live : CONFIRMATIONS.local;
  const deadline = world.now() + STEADY.patienceMs;
  for (;;) {
    const head = await upstream("block", () => connection.provider.getBlockNumber());
    if (head - block + 1 >= depth) return;
    if (world.now() >= deadline)
      throw new UpstreamUnavailable(`No block followed block ${block} in time: run the command again.`);
    await world.sleep(STEADY.pollMs);
  }
}

/** No route is allowed yet, so nothing can be traded. */
function nextSteps({ chainId, network }: DeploymentRecord, live: boolean): string[] {
  const on = `--network ${network}`;
  const publish = `  assay guard publish-source ${on}   shows the source on the explorers`;
  return [
    "Next:",
    ...(live ? [publish] : []),
    `  assay guard apply ${on}   routes and recipients, from ${chainId}.desired.json`,
    `  assay guard service-file ${on}   the service's DEPLOYMENT_FILE, with ${chainId}.market.json`,
  ];
}
