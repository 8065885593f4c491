/** `<chainId>.json`: what was deployed, by whom, from which source, and how to make the same again. */
import {
  AbiCoder,
  concat,
  getCreateAddress,
  keccak256,
  type TransactionReceipt,
  toBeHex,
  ZeroAddress,
  zeroPadValue,
} from "ethers";
import { z } from "zod";
import { Vkey } from "../../attestor/log/vkey.ts";
import { Address, Bytes32 } from "../../attestor/values/primitives.ts";
import { type Role, rolesOf } from "../../chain/guard/manager.ts";
import { readRoles } from "../../chain/guard/roles.ts";
import { LOG_PAGE_BLOCKS } from "../../chain/logs.ts";
import { type Create2Contract, create2 } from "../../chain/mandateContracts.ts";
import { MandateContracts } from "../../chain/mandates/calls.ts";
import { upstream } from "../../chain/rpc.ts";
import type { Connection } from "../admin/connect.ts";
import { hasCode, type Roles } from "../admin/holders.ts";
import type { Records } from "../admin/records.ts";
import type { Session } from "../admin/session.ts";
import { Refused } from "../errors.ts";
import { readJson } from "../files.ts";
import { progressOf } from "../progress.ts";
import { type Build, PARTS, type Part } from "./build.ts";
import type { Drift } from "./desired.ts";
import { comparisonOf } from "./verifyBuild.ts";

export const DeploymentRecord = z.strictObject({
  schema: z.literal("assay.deployed/1"),
  chainId: z.int().min(1),
  network: z.string(),
  /** The contract whose constructor created manager and guard. */
  deployment: Address,
  manager: Address,
  guard: Address,
  executor: Address,
  /** keccak256 of the code on the chain. */
  codeHash: z.strictObject({ manager: Bytes32, guard: Bytes32, executor: Bytes32 }),
  constructorArguments: z.strictObject({
    initialAdmin: Address,
    initialPauser: Address,
    initialSigner: Address,
    delaySeconds: z.int().min(0),
  }),
  /** As read back from guard and manager. */
  roles: z.strictObject({ admin: Address, pauser: Address.nullable(), signer: Address }),
  deployedAtBlock: z.int().min(0),
  transaction: Bytes32,
  deployer: Address,
  /** ISO 8601, UTC: the time of the block. */
  deployedAt: z.string(),
  compiler: z.strictObject({ version: z.string(), settings: z.record(z.string(), z.unknown()) }),
  /** Of the working copy; ends in -dirty where files differed from it. */
  commit: z.string().nullable(),
  actor: z.string(),
  /** Verifier keys of the service's decision log, which `guard service-file --log-key` adds. */
  logKeys: z.array(Vkey).optional(),
  /** What `guard mandate deploy` deployed, or found. */
  mandates: MandateContracts.optional(),
});
export type DeploymentRecord = z.infer<typeof DeploymentRecord>;

/** @returns null when nothing was recorded. @throws Unusable */
export async function readRecord(session: Pick<Session, "records">): Promise<DeploymentRecord | null> {
  return await readJson(session.records.path("json"), DeploymentRecord);
}

/** @throws Refused when nothing was recorded, Unusable */
export async function requireRecord(records: Records): Promise<DeploymentRecord> {
  const record = await readRecord({ records });
  if (record !== null) return record;
  throw new Refused(`There is no ${records.path("json")}: assay guard deploy writes it.`);
}

/** Whether the code on the chain is what was recorded. Nothing where nothing was. */
export async function codeDrift(session: Pick<Session, "records" | "connection">): Promise<Drift[]> {
  const record = await readRecord(session);
  if (record === null) return [];
  const drift: Drift[] = [];
  for (const name of Object.keys(PARTS) as Part[]) {
    const hash = keccak256(await upstream("code", () => session.connection.provider.getCode(record[name])));
    if (hash !== record.codeHash[name])
      drift.push({ what: `code of the ${name}`, isNow: hash, shouldBe: record.codeHash[name] });
  }
  return drift;
}

/** What was recorded, unless it is of a local chain that is no more. @throws Refused */
export async function knownDeployment(
  connection: Connection,
  records: Records,
): Promise<DeploymentRecord | null> {
  const record = await readRecord({ records });
  if (record === null) return null;
  if (await hasCode(connection.provider, record.guard)) return record;
  if (!connection.live) return null;
  throw new Refused(
    `${records.path("json")} names a guard at ${record.guard}, where the chain has none: move the file aside to deploy again.`,
  );
}

/** @throws Refused when the known guard was made with other roles than are wanted now */
export function assertSame(
  records: Records,
  { guard, constructorArguments: made }: DeploymentRecord,
  { admin, pauser, signer, delay }: Roles,
): void {
  const same =
    made.initialAdmin === admin &&
    made.initialPauser === (pauser ?? ZeroAddress) &&
    made.initialSigner === signer &&
    made.delaySeconds === delay;
  if (!same)
    throw new Refused(
      `${records.path("json")} has a guard with other roles or another delay at ${guard}: change the roles, or move the file aside to deploy another guard.`,
    );
}

/** A guard that is to be, and where. */
export interface Deploying {
  readonly session: Session;
  readonly build: Build;
  readonly roles: Roles;
  readonly places: Places;
}

export interface Places {
  /** The contract whose constructor creates manager and guard. */
  readonly deployment: Create2Contract;
  readonly manager: string;
  readonly guard: string;
}

/** As the constructor takes them. */
export const constructorArguments = ({ admin, pauser, signer, delay }: Roles) => ({
  initialAdmin: admin,
  initialPauser: pauser ?? ZeroAddress,
  initialSigner: signer,
  delaySeconds: delay,
});

/** @param salt tells guards of the same code and roles apart */
export function placesOf(
  { deployment: { bytecode } }: Pick<Build, "deployment">,
  roles: Roles,
  salt: bigint,
): Places {
  const values = Object.values(constructorArguments(roles));
  const args = AbiCoder.defaultAbiCoder().encode(["address", "address", "address", "uint32"], values);
  const deployment = create2(concat([bytecode, args]), zeroPadValue(toBeHex(salt), 32));
  return { deployment, ...createdBy(deployment.address) };
}

/** What a deployment created, from its own address. */
function createdBy(deployment: string): { readonly manager: string; readonly guard: string } {
  const at = (nonce: number) => getCreateAddress({ from: deployment, nonce });
  return { manager: at(1), guard: at(2) };
}

/** How far back a deployment is looked for that no file here knows. */
const MOST_PAGES = 200;

/**
 * The transaction that created the guard: by the history, by what was typed, or by its event.
 * @throws Refused where it is not found; UpstreamUnavailable
 */
export async function creationOf(
  session: Session,
  places: Places,
  typed: string | undefined,
): Promise<{ readonly hash: string; readonly block: number }> {
  const history = await session.records.readHistory().catch(() => []);
  const sent = history.find(
    ({ guard, call, outcome }) =>
      guard === places.guard && call.name === "constructor" && outcome === "confirmed",
  );
  const hash = typed ?? sent?.transaction ?? (await searched(session, places));
  const receipt = hash === null ? null : await receiptOf(session, hash);
  if (receipt?.logs.some(({ address }) => address === places.deployment.address))
    return { hash: receipt.hash, block: receipt.blockNumber };
  throw new Refused(
    `The guard ${places.guard} is there, and the transaction that created it was not found: name it by --transaction.`,
  );
}

const receiptOf = ({ connection }: Session, hash: string): Promise<TransactionReceipt | null> =>
  upstream("receipt", () => connection.provider.getTransactionReceipt(hash));

/** By the deployment's own event, page by page back from the newest block. */
async function searched(
  { connection: { provider }, world }: Session,
  places: Places,
): Promise<string | null> {
  const tell = progressOf(world, "Looking for the deployment, pages", "");
  const { address } = places.deployment;
  let toBlock = await upstream("block", () => provider.getBlockNumber());
  for (let page = 0; page < MOST_PAGES && toBlock >= 0; page++) {
    const fromBlock = Math.max(0, toBlock - LOG_PAGE_BLOCKS + 1);
    const blocks = { fromBlock, toBlock };
    const [log] = await upstream("events", () => provider.getLogs({ address, ...blocks }));
    if (log !== undefined) return log.transactionHash;
    toBlock = fromBlock - 1;
    tell(page + 1, MOST_PAGES);
  }
  return null;
}

/** What the record takes from the chain. */
type FromChain = Omit<
  DeploymentRecord,
  "schema" | "chainId" | "network" | "compiler" | "commit" | "actor" | "logKeys" | "mandates"
>;

/** @throws Refused when code or roles are others than meant; NoGuard; UpstreamUnavailable */
export async function readBack(
  { session, roles: meant, build, places }: Deploying,
  hash: string,
): Promise<FromChain> {
  const { provider } = session.connection;
  const receipt = await receiptOf(session, hash);
  if (receipt === null) throw new Refused(`The chain does not know the transaction ${hash}.`);
  const block = await upstream("block", () => provider.getBlock(receipt.blockNumber));
  const { manager, guard, deployment } = places;
  const read = await readRoles(provider, guard);
  const compared = await comparisonOf(session.connection, build, guard);
  const hashOf = (name: Part): string => {
    const part = compared[name];
    if (part?.matches && part.codeHash !== null) return part.codeHash;
    throw new Refused(`The code of the ${name} on the chain is not the compiled code.`);
  };
  const held = async (account: string) =>
    rolesText(Object.fromEntries(await rolesOf(provider, manager, account, read.block)));
  const { delay } = meant;
  const expected = [
    ["manager", read.manager, manager],
    ["roles of the admin", await held(meant.admin), rolesText({ admin: delay, operator: delay, pauser: 0 })],
    ["roles of the deployment", await held(deployment.address), rolesText({})],
  ];
  if (meant.pauser !== null && meant.pauser !== meant.admin)
    expected.push(["roles of the pauser", await held(meant.pauser), rolesText({ pauser: 0 })]);
  for (const [what, value, wanted] of expected)
    if (value !== wanted) throw new Refused(`The guard at ${guard} has the ${what} ${value}, not ${wanted}.`);
  return {
    deployment: deployment.address,
    manager,
    guard,
    executor: read.executor,
    codeHash: { manager: hashOf("manager"), guard: hashOf("guard"), executor: hashOf("executor") },
    constructorArguments: constructorArguments(meant),
    roles: { admin: meant.admin, pauser: meant.pauser, signer: meant.signer },
    deployedAtBlock: receipt.blockNumber,
    transaction: receipt.hash,
    deployer: receipt.from,
    deployedAt: new Date((block?.timestamp ?? 0) * 1000).toISOString(),
  };
}

const rolesText = (roles: Partial<Record<Role, number>>): string =>
  Object.entries(roles)
    .map(([role, delay]) => `${role} after ${delay} s`)
    .join(", ");
