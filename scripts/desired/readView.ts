/** The guard's state for a command: asked about everything that anybody here has heard of. */

import { type GuardView, readGuardView } from "../../chain/guard/reading.ts";
import type { Session } from "../session/session.ts";
import type { Desired } from "./desired.ts";

const TELL_EVERY_MS = 5_000;

/**
 * @param onNoEvents told when the node gives no events, so that only what files name was asked about; without it,
 * that is an error
 * @throws AdminError, UpstreamUnavailable
 */
export async function readView(
  { connection, place, registry, records, world }: Session,
  desired: Desired | null,
  onNoEvents?: () => void,
): Promise<GuardView> {
  let told = world.now();
  return await readGuardView(connection.provider, place, {
    also: {
      routes: [
        ...(desired?.routes ?? []).map(({ route, selector }) => ({ route, selector })),
        ...(registry?.routes ?? []).map(({ address, selector }) => ({ route: address, selector })),
      ],
      recipients: desired?.recipients ?? [],
    },
    // The local chain may begin anew at the same addresses.
    records: connection.live ? records : null,
    onPage: (block) => {
      if (world.now() - told < TELL_EVERY_MS) return;
      told = world.now();
      world.printError(`Reading the guard's events, block ${block}…`);
    },
    onNoEvents,
  });
}
