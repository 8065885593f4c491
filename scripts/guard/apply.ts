/** `assay guard apply`: makes the chain what `<chainId>.desired.json` says. */

import { nameOf } from "../../chain/guard/allowlists.ts";
import type { GuardView } from "../../chain/guard/reading.ts";
import { readView } from "../admin/reading.ts";
import type { Session } from "../admin/session.ts";
import { command } from "../command.ts";
import { EXIT } from "../errors.ts";
import { carryOut } from "../plan/byRole.ts";
import { ACT_OPTIONS, changing } from "../plan/options.ts";
import { checkRoute } from "./allowlists.ts";
import { type Desired, planOf, requireDesired } from "./desired.ts";
import { nameOfContract } from "./known.ts";

export const apply = command({
  summary: "Bring the guard to the state in <chainId>.desired.json; removals first",
  options: ACT_OPTIONS,
  notes: ["Exit code 1 also when a difference is left that this command does not remove."],
  run: (given, world) =>
    changing(given, world, async (session) => {
      const desired = await requireDesired(session.records, session.place.guard);
      const view = await readView(session, desired);
      const labels = await checkAdditions(session, view, desired);
      const { chainId } = session.connection;
      const labelOf = (route: string, selector: string) =>
        labels.get(nameOf({ route, selector })) ?? nameOfContract(chainId, session.registry, route, null);
      const { calls, left } = planOf(view, desired, labelOf);
      const nothing =
        left.length > 0 ? "Nothing to do for this command, but the chain is NOT as desired." : undefined;
      await carryOut(session, view, calls, given, "guard apply", nothing);
      if (left.length === 0) return EXIT.ok;
      session.world.out("Not by this command:");
      for (const line of left) session.world.out(`  ${line}`);
      return EXIT.failed;
    }),
});

/** Every route that would be new passes the checks of `guard allow-route`. @returns labels by route */
async function checkAdditions(
  session: Session,
  view: GuardView,
  desired: Desired,
): Promise<Map<string, string>> {
  const labels = new Map<string, string>();
  const present = new Set(view.routes.map(nameOf));
  for (const { route, selector } of desired.routes ?? []) {
    const key = { route, selector };
    if (present.has(nameOf(key))) continue;
    const { label, warnings } = await checkRoute(session, view.executor, key);
    if (label !== null) labels.set(nameOf(key), label);
    for (const warning of warnings) session.world.out(`WARNING  ${route}: ${warning}`);
  }
  return labels;
}
