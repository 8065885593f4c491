/** The guard's whole state at one block. */
import type { JsonRpcProvider } from "ethers";
import type { Records } from "../records/records.ts";
import { collectSeen, confirmLists, type Lists, type Seen } from "./lists.ts";
import { type GuardRoles, readRoles } from "./roles.ts";

/** Deep enough that no reorganisation takes back what was remembered. */
const REMEMBER_BEHIND_BLOCKS = 100;

export type GuardView = GuardRoles & Lists;

/** Where a guard stands and where to begin to look for its events. */
export interface GuardPlace {
  readonly guard: string;
  readonly deployedAtBlock: number;
}

/**
 * Roles and allowlists, all as of one block.
 * @param also candidates to ask about beyond those that events name: registry, desired state
 * @param records remembers what was seen, so that the next look is short; without it nothing is kept
 * @throws AdminError `no_guard`; UpstreamUnavailable
 */
export async function readGuard(
  provider: JsonRpcProvider,
  place: GuardPlace,
  also: Lists = { routes: [], recipients: [] },
  records: Pick<Records, "readSeen" | "writeSeen"> | null = null,
  onPage?: (block: number) => void,
): Promise<GuardView> {
  const roles = await readRoles(provider, place.guard);
  const start: Seen = (await records?.readSeen(place.guard)) ?? {
    guard: place.guard,
    upToBlock: place.deployedAtBlock - 1,
    routes: [],
    recipients: [],
  };
  const settled = await collectSeen(provider, start, roles.block - REMEMBER_BEHIND_BLOCKS, onPage);
  if (settled.upToBlock > start.upToBlock) await records?.writeSeen(settled);
  const seen = await collectSeen(provider, settled, roles.block, onPage);
  const lists = await confirmLists(
    provider,
    place.guard,
    { routes: [...seen.routes, ...also.routes], recipients: [...seen.recipients, ...also.recipients] },
    roles.block,
  );
  return { ...roles, ...lists };
}
