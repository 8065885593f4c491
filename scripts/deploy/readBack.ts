/** Compares what is on the chain after a deployment with the plan. */
import { keccak256, type TransactionReceipt } from "ethers";
import { type Role, rolesOf } from "../../chain/guard/manager.ts";
import { readRoles } from "../../chain/guard/roles.ts";
import { LOG_PAGE_BLOCKS } from "../../chain/logs.ts";
import { upstream } from "../../chain/rpc.ts";
import { CommandError } from "../errors.ts";
import { progressOf } from "../progress.ts";
import type { Session } from "../session/session.ts";
import { isCodeOf, PARTS, type Part } from "./build.ts";
import { constructorArguments, type Places } from "./places.ts";
import type { DeploymentRecord } from "./record.ts";
import type { Deploying } from "./showDeployment.ts";

/** How far back a deployment is looked for that no file here knows. */
const MOST_PAGES = 200;

/**
 * The transaction that created the guard: by the history, by what was typed, or by its event.
 * @throws CommandError `refused` where it is not found; UpstreamUnavailable
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
  throw new CommandError(
    "refused",
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

/** @throws CommandError `not_as_sent` when code or roles are others than meant; `no_guard`; UpstreamUnavailable */
export async function readBack(
  { session, roles: meant, build, places }: Deploying,
  hash: string,
): Promise<FromChain> {
  const { provider } = session.connection;
  const receipt = await receiptOf(session, hash);
  if (receipt === null)
    throw new CommandError("not_as_sent", `The chain does not know the transaction ${hash}.`);
  const block = await upstream("block", () => provider.getBlock(receipt.blockNumber));
  const { manager, guard, deployment } = places;
  const read = await readRoles(provider, guard);
  const addresses: Record<Part, string> = { manager, guard, executor: read.executor };
  const hashOf = async (name: Part): Promise<string> => {
    const code = await upstream("code", () => provider.getCode(addresses[name]));
    if (isCodeOf(build[name], code)) return keccak256(code);
    throw new CommandError("not_as_sent", `The code of the ${name} on the chain is not the compiled code.`);
  };
  const [managerHash, guardHash, executorHash] = await Promise.all(
    (Object.keys(PARTS) as Part[]).map(hashOf),
  );
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
    if (value !== wanted)
      throw new CommandError("not_as_sent", `The guard at ${guard} has the ${what} ${value}, not ${wanted}.`);
  return {
    deployment: deployment.address,
    manager,
    guard,
    executor: read.executor,
    codeHash: { manager: managerHash!, guard: guardHash!, executor: executorHash! },
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
