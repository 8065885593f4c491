/** The guard's whole state at one block. */
import type { JsonRpcProvider } from "ethers";
import { UpstreamUnavailable } from "../chainErrors.ts";
import { collectSeen, confirmLists, type Lists, type Seen } from "./allowlists.ts";
import { type Access, readAccess } from "./manager.ts";
import { type GuardRoles, readRoles } from "./roles.ts";

/** Deep enough that no reorganization invalidates what was remembered. */
export const REMEMBER_BEHIND_BLOCKS = 100;

/** What a command needs that acts: the guard's slots, who may do what, and what is scheduled. */
export type GuardAccess = GuardRoles & Access;
export type GuardView = GuardAccess & Lists;

/** Where a guard stands and where to begin to look for its events. */
export interface GuardPlace {
  readonly guard: string;
  readonly deployedAtBlock: number;
}

/** Keeps what events named, by guard. */
export interface SeenStore {
  /** @returns null where nothing is kept of this guard */
  readSeen(guard: string): Promise<Seen | null>;
  writeSeen(seen: Seen): Promise<void>;
}

export interface ReadOptions {
  /** Candidates to ask about beyond those that events name: registry, desired state. */
  readonly also?: Lists & { readonly accounts: readonly string[] };
  /** Remembers what was seen, so that the next look is short; without it nothing is kept. */
  readonly records?: SeenStore | null;
  /** Told how far it got, for people who wait. */
  readonly onPage?: (block: number) => void;
  /** Where the node gives no events: told so, and the candidates alone are asked about. Without it, that throws. */
  readonly onNoEvents?: () => void;
}

/**
 * Roles and allowlists, all as of one block.
 * @throws NoGuard, UpstreamUnavailable
 */
export async function readGuardView(
  provider: JsonRpcProvider,
  place: GuardPlace,
  options: ReadOptions = {},
): Promise<GuardView> {
  const { also = { routes: [], recipients: [] } } = options;
  const { seen, ...access } = await readSeenAccess(provider, place, options);
  const lists = await confirmLists(
    provider,
    place.guard,
    { routes: [...seen.routes, ...also.routes], recipients: [...seen.recipients, ...also.recipients] },
    access.block,
  );
  return { ...access, ...lists };
}

/**
 * The slots, the roles' holders and what is scheduled, all as of one block.
 * @throws NoGuard, UpstreamUnavailable
 */
export async function readGuardAccess(
  provider: JsonRpcProvider,
  place: GuardPlace,
  options: ReadOptions = {},
): Promise<GuardAccess> {
  const { seen: _, ...access } = await readSeenAccess(provider, place, options);
  return access;
}

async function readSeenAccess(provider: JsonRpcProvider, place: GuardPlace, options: ReadOptions) {
  const roles = await readRoles(provider, place.guard);
  const seen = await seenUpTo(provider, place, roles, options);
  const accounts = [...seen.accounts, ...(options.also?.accounts ?? [])];
  const { operations } = seen;
  const access = await readAccess(provider, roles.manager, { accounts, operations }, roles.block);
  return { ...roles, ...access, seen };
}

async function seenUpTo(
  provider: JsonRpcProvider,
  { deployedAtBlock }: GuardPlace,
  { guard, manager, block }: GuardRoles,
  { records, onPage, onNoEvents }: ReadOptions,
): Promise<Seen> {
  const lists = { routes: [], recipients: [], accounts: [], operations: [] };
  const kept = await records?.readSeen(guard);
  const start =
    kept?.manager === manager ? kept : { guard, manager, upToBlock: deployedAtBlock - 1, ...lists };
  try {
    const settled = await collectSeen(provider, start, block - REMEMBER_BEHIND_BLOCKS, onPage);
    if (settled.upToBlock > start.upToBlock) await records?.writeSeen(settled);
    return await collectSeen(provider, settled, block, onPage);
  } catch (error) {
    if (onNoEvents === undefined || !(error instanceof UpstreamUnavailable)) throw error;
    onNoEvents();
    return start;
  }
}
