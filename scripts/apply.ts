/** `guard apply`: makes the chain what `<chainId>.desired.json` says. */
import { nameOf } from "../chain/guard/allowlists.ts";
import type { GuardView } from "../chain/guard/reading.ts";
import { EXIT, type ExitCode } from "./adminErrors.ts";
import { checkRoute } from "./allowlists/checkRoute.ts";
import { nameOfContract } from "./allowlists/known.ts";
import { type Desired, requireDesired } from "./desired/desired.ts";
import { planOf } from "./desired/drift.ts";
import { readView } from "./desired/readView.ts";
import type { AdminContext } from "./session/context.ts";
import { type Session, withSession } from "./session/session.ts";
import { type ActArguments, actOptions, carryOut } from "./transactions/carryOut.ts";

/** @returns the exit code: 1 also when a difference is left that another command makes up for */
export async function apply(world: AdminContext, args: ActArguments): Promise<ExitCode> {
  return await withSession(world, async (session) => {
    const options = actOptions(args);
    const desired = await requireDesired(session.records, session.place.guard);
    const view = await readView(session, desired);
    const labels = await checkAdditions(session, view, desired);
    const { calls, left } = planOf(
      view,
      desired,
      (route, selector) =>
        labels.get(nameOf({ route, selector })) ??
        nameOfContract(session.connection.chainId, session.registry, route, null),
    );
    const nothing =
      left.length > 0 ? "Nothing to do for this command, but the chain is NOT as desired." : undefined;
    const code = await carryOut(session, view, calls, options, "guard apply", nothing);
    if (left.length > 0) world.print("Not by this command:");
    for (const line of left) world.print(`  ${line}`);
    return code === EXIT.ok && left.length > 0 ? EXIT.failed : code;
  });
}

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
    for (const warning of warnings) session.world.print(`WARNING  ${route}: ${warning}`);
  }
  return labels;
}
