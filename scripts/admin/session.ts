/** What every guard command begins with: the chain, the records, and where the guard stands. */
import { join } from "node:path";
import { z } from "zod";
import type { Registry } from "../../attestor/registry.ts";
import { Address } from "../../attestor/values/primitives.ts";
import { Deployment } from "../../chain/deployment.ts";
import type { GuardPlace as Place } from "../../chain/guard/reading.ts";
import type { GuardRoles } from "../../chain/guard/roles.ts";
import { MandateContracts } from "../../chain/mandates/calls.ts";
import { Refused, Unusable } from "../errors.ts";
import { readJson } from "../files.ts";
import { type Connection, withConnection } from "./connect.ts";
import { hasCode } from "./holders.ts";
import { openRecords, type Records } from "./records.ts";
import type { AdminWorld } from "./world.ts";

/** Where the guard stands, and who had its roles when it was deployed, where a record says so. */
export interface GuardPlace extends Place {
  readonly holders: readonly string[];
  /** Module and setup of mandates, where a record names them. */
  readonly mandates?: MandateContracts | undefined;
}

export interface Session {
  readonly world: AdminWorld;
  readonly connection: Connection;
  readonly records: Records;
  readonly place: GuardPlace;
  /** Assets and routes that the service knows, where a file says so. */
  readonly registry: Registry | null;
}

/** What of the deployment's record says where the guard is. */
const Record = z.object({
  chainId: z.int(),
  guard: Address,
  deployedAtBlock: z.int().min(0),
  roles: z.object({ admin: Address, pauser: Address.nullable() }).optional(),
  mandates: MandateContracts.optional(),
});
/** What of the market's file names tokens and routes. */
const Market = z.object({ registry: Deployment.shape.registry });

/** @throws Refused, Unusable; UpstreamUnavailable */
export async function sessionOver(
  connection: Connection,
  world: AdminWorld,
  urgent = false,
): Promise<Session> {
  const records = openRecords(world.deploymentsDir, connection.chainId);
  return { world, connection, records, ...(await findGuard(world, connection, records, urgent)) };
}

/** Names tokens and routes, and nothing that a pause needs: during a pause its faults can wait. */
async function readMarket(records: Records, urgent: boolean): Promise<z.infer<typeof Market> | null> {
  try {
    return await readJson(records.path("market.json"), Market);
  } catch (error) {
    if (urgent && error instanceof Unusable) return null;
    throw error;
  }
}

/** The deployment's record; without one, on the local chain, what `npm start` deployed. */
async function findGuard(
  { dataDir }: AdminWorld,
  { chainId, live, provider }: Connection,
  records: Records,
  urgent: boolean,
): Promise<Pick<Session, "place" | "registry">> {
  const recordFile = records.path("json");
  const record = await readJson(recordFile, Record);
  // A record that was copied from another chain names another guard, or other events.
  if (record !== null && record.chainId !== chainId)
    throw new Unusable(`${recordFile} is about chain ${record.chainId}, and this is ${chainId}.`);
  const market = await readMarket(records, urgent);
  const local = live ? null : await readJson(join(dataDir, "chain", "deployment.json"), Deployment);
  const registry = market?.registry ?? (local?.chainId === chainId ? local.registry : null);
  // A record of a local chain may be of a deleted one; on others a missing guard is an error to report.
  if (record !== null && (live || (await hasCode(provider, record.guard)))) {
    const { guard, deployedAtBlock, roles, mandates } = record;
    const holders = [roles?.admin, roles?.pauser].filter((holder) => holder != null);
    return { place: { guard, deployedAtBlock, holders, mandates }, registry };
  }
  if (local?.chainId === chainId) return { place: { ...local, holders: [] }, registry };
  const where = live
    ? ""
    : ` The local chain's guard is looked for in ${dataDir}: set DATA_DIR to its folder.`;
  throw new Refused(
    `No guard is known on chain ${chainId}: there is no ${recordFile}. assay guard deploy writes it.${where}`,
  );
}

/**
 * Runs a command over a session.
 * @param options patience: with the RPC, where it is not the usual one; urgent: skips everything that is not essential
 */
export async function withSession<T>(
  world: AdminWorld,
  work: (session: Session) => Promise<T>,
  { patience, urgent }: { patience?: Parameters<typeof withConnection>[2]; urgent?: boolean } = {},
): Promise<T> {
  const overSession = async (connection: Connection) => work(await sessionOver(connection, world, urgent));
  return await withConnection(world, overSession, patience);
}

/** Asks before something is sent on a chain where it counts. @throws Refused */
export async function assertConfirmed(
  { world, connection }: Pick<Session, "world" | "connection">,
  yes: boolean | undefined,
  question: string,
): Promise<void> {
  if (connection.live && !yes && !(await world.confirm(question)))
    throw new Refused("Nothing was sent. Without a terminal, confirm with --yes.");
}

/** Blocks of the supported chains are seconds apart. */
const FRESH_SECONDS = 120;

/**
 * @returns a line of warning when the newest block that the RPC knows is an old one; null on the local chain, which
 * makes a block when something happens
 */
export function staleWarning(
  { world, connection }: Pick<Session, "world" | "connection">,
  { block, blockTime }: Pick<GuardRoles, "block" | "blockTime">,
): string | null {
  const age = Math.floor(world.now() / 1000) - blockTime;
  if (!connection.live || age <= FRESH_SECONDS) return null;
  return `WARNING  The newest block of this RPC, ${block}, is ${age} seconds old: the chain has halted, or the RPC is behind and the state may have changed. Compare with another RPC or an explorer.`;
}
