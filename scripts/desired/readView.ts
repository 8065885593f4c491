/** The guard's state for a command: asked about everything that anybody here has heard of. */
import {
  type GuardAccess,
  type GuardView,
  type ReadOptions,
  readGuardAccess,
  readGuardView,
} from "../../chain/guard/reading.ts";
import { progressOf } from "../progress.ts";
import type { Session } from "../session/session.ts";
import type { Desired } from "./desired.ts";

/**
 * @param onNoEvents told when the node gives no events, so that only what files name was asked about; without it,
 * that is an error
 * @throws CommandError, UpstreamUnavailable
 */
export async function readView(
  session: Session,
  desired: Desired | null,
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
  desired: Desired | null,
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
