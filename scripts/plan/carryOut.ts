/** What most admin commands are: calls on the guard that follow from its state. They are planned, shown and delivered. */
import { type AdminCall, named } from "../../chain/guard/adminCalls.ts";
import { rolesOf } from "../../chain/guard/manager.ts";
import { type GuardRoles, readRoles } from "../../chain/guard/roles.ts";
import { upstream } from "../../chain/rpc.ts";
import type { Pending } from "../admin/pending.ts";
import { type Session, staleWarning, withSession } from "../admin/session.ts";
import { adminWorld } from "../admin/world.ts";
import type { World } from "../console.ts";
import { EXIT } from "../errors.ts";
import { callOfGuard, withMargin } from "../sending/call.ts";
import { reportPending } from "../sending/outcome.ts";
import { blockedBy, isOf } from "../sending/send.ts";
import { accountsFor, callerFor } from "./callers.ts";
import { deliver } from "./deliver.ts";
import { headingLines, planLines } from "./lines.ts";
import { type ActGiven, checkedGiven } from "./options.ts";
import { safeFile } from "./safe.ts";
import { type Simulated, simulate } from "./simulate.ts";
import { stepsFor } from "./steps.ts";

const NOTHING = "Nothing to do: the chain is already as it should be.";

/**
 * @param command as it is typed, for the history
 * @param plan the calls that bring about what was asked for; none where it is so already
 * @returns the exit code
 */
export async function actOnGuard(
  world: World,
  given: ActGiven,
  command: string,
  plan: (session: Session, roles: GuardRoles) => AdminCall[] | Promise<AdminCall[]>,
): Promise<number> {
  const checked = checkedGiven(given);
  return await withSession(adminWorld(world, given), async (session) => {
    const roles = await readRoles(session.connection.provider, session.place.guard);
    await carryOut(session, roles, await plan(session, roles), checked, command);
    return EXIT.ok;
  });
}

/**
 * @param calls in the order in which they are sent; one account has to be allowed all. What has to wait is scheduled
 *   first, and carried out by the same command after its delay
 * @param nothing what is said where there are none
 * @returns whether it was sent
 * @throws CommandError, UpstreamUnavailable
 */
export async function carryOut(
  session: Session,
  roles: GuardRoles,
  calls: readonly AdminCall[],
  given: ActGiven,
  command: string,
  nothing = NOTHING,
): Promise<boolean> {
  const { world } = session;
  const pending = await reportPending(session);
  const stale = staleWarning(session, roles);
  if (stale !== null) world.out(stale);
  if (calls.length === 0) {
    world.out(nothing);
    return false;
  }
  const [account = null] = given.execute ? await accountsFor(session, roles, calls, given.from) : [];
  const caller = account?.address ?? (await callerFor(session, roles, calls, given.from));
  const steps = await stepsFor(session, roles, caller, calls);
  if (given.execute) assertNotBlocked(pending, roles, caller, steps.calls);
  for (const line of steps.waiting) world.out(`Waiting  ${line}`);
  if (steps.calls.length === 0) return false;
  const simulated = await show(session, roles, caller, steps.calls, given);
  const isSent = await deliver(
    session,
    {
      calls: simulated.map(({ call, gas }) => callOfGuard(call, roles, withMargin(gas))),
      account,
      intent: { command, reason: given.reason ?? null },
      safeFile: safeFile(session, roles, caller, steps.calls, command),
    },
    given,
  );
  if (isSent && steps.calls.some(({ name }) => name === "schedule"))
    world.out("Nothing of what was scheduled has taken effect: run the same command after its delay.");
  return isSent;
}

/** A transaction without an outcome blocks all others but its own call, which goes on with it. */
function assertNotBlocked(
  pending: Pending | null,
  roles: GuardRoles,
  caller: string,
  [first]: readonly AdminCall[],
): void {
  if (pending === null) return;
  if (first === undefined || !isOf(pending, callOfGuard(first, roles, 0n), caller)) throw blockedBy();
}

/** Simulates and shows. @throws CommandError `reverted` */
async function show(
  { world, connection, place }: Session,
  roles: GuardRoles,
  caller: string,
  calls: readonly AdminCall[],
  { reason }: ActGiven,
): Promise<Simulated[]> {
  const held = [...(await rolesOf(connection.provider, roles.manager, caller, roles.block)).keys()];
  const heading = headingLines({ connection, place }, roles, caller, held.map(named).join(", "));
  for (const line of heading) world.out(line);
  if (reason !== undefined) world.out(`Reason   ${reason}`);
  const plan = await simulate(connection.provider, roles, caller, calls);
  const { gasPrice } = await upstream("gas price", () => connection.provider.getFeeData());
  for (const line of planLines(plan, connection.chainId, gasPrice)) world.out(line);
  return plan;
}
