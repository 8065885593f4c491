/** The guard's state for a command: asked about everything that a file here names. */

import {
  type Allowance,
  collectApprovals,
  type SeenApprovals,
  standingAllowances,
} from "../../chain/guard/allowances.ts";
import type { RouteKey } from "../../chain/guard/allowlists.ts";
import {
  type GuardAccess,
  type GuardView,
  REMEMBER_BEHIND_BLOCKS,
  type ReadOptions,
  readGuardAccess,
  readGuardView,
} from "../../chain/guard/reading.ts";
import type { GuardRoles } from "../../chain/guard/roles.ts";
import { progressOf } from "../progress.ts";
import type { Session } from "./session.ts";

/** What a file says that there should be, which is asked about, too. */
interface Named {
  readonly routes?: readonly RouteKey[] | undefined;
  readonly recipients?: readonly string[] | undefined;
  readonly admin?: string | undefined;
  readonly pauser?: string | null | undefined;
}

/**
 * @param onNoEvents told when the node gives no events, so that only what files name was asked about; without it,
 * that is an error
 * @throws CommandError, UpstreamUnavailable
 */
export async function readView(
  session: Session,
  desired: Named | null,
  onNoEvents?: () => void,
): Promise<GuardView> {
  const { connection, place } = session;
  return await readGuardView(connection.provider, place, optionsOf(session, desired, onNoEvents));
}

/**
 * The roles and what is scheduled.
 * @throws CommandError, UpstreamUnavailable
 */
export async function readAccess(session: Session): Promise<GuardAccess> {
  const { connection, place, world } = session;
  const onNoEvents = () =>
    world.err("WARNING  The RPC gives no events: holders of roles and schedules may be missing.");
  return await readGuardAccess(connection.provider, place, optionsOf(session, null, onNoEvents));
}

function optionsOf(
  { connection, place, registry, records, world }: Session,
  desired: Named | null,
  onNoEvents: ReadOptions["onNoEvents"],
): ReadOptions {
  const tell = progressOf(world, "Reading the events of guard and manager, up to block", "");
  return {
    also: {
      routes: [
        ...(desired?.routes ?? []).map(({ route, selector }) => ({ route, selector })),
        ...(registry?.routes ?? []).map(({ address, selector }) => ({ route: address, selector })),
      ],
      recipients: desired?.recipients ?? [],
      accounts: [...place.holders, desired?.admin, desired?.pauser].filter((account) => account != null),
    },
    // The local chain may begin anew at the same addresses.
    records: connection.live ? records : null,
    onPage: (block) => tell(block, null),
    onNoEvents,
  };
}

/**
 * As of the block of `roles`; remembered from look to look, so that the next one is short.
 * @throws CommandError; UpstreamUnavailable, also where the node gives no events
 */
export async function readAllowances(
  { connection, place, records, world }: Session,
  { executor, block }: Pick<GuardRoles, "executor" | "block">,
): Promise<Allowance[]> {
  const { provider, live } = connection;
  const tell = progressOf(world, "Reading the executor's approvals, up to block", "");
  const onPage = (at: number) => tell(at, block);
  const nothing: SeenApprovals = { executor, upToBlock: place.deployedAtBlock - 1, approvals: [] };
  // The local chain may begin anew at the same addresses.
  const start = (live ? await records.readApprovals(executor) : null) ?? nothing;
  const settled = await collectApprovals(provider, start, block - REMEMBER_BEHIND_BLOCKS, onPage);
  if (live && settled.upToBlock > start.upToBlock) await records.writeApprovals(settled);
  return await standingAllowances(provider, await collectApprovals(provider, settled, block, onPage), block);
}
