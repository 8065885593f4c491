/** Admin calls of guard and manager as a plan: who may make them, and which of its two steps a delayed call is at. */
import { safeTransaction } from "../../attestor/evm/safeFile.ts";
import { managerAt } from "../../chain/abis.ts";
import {
  type AdminCall,
  contractOf,
  encodeAdminCall,
  executeCall,
  named,
  scheduleCall,
} from "../../chain/guard/adminCalls.ts";
import { ROLES, type Role, rolesOf } from "../../chain/guard/manager.ts";
import { type GuardRoles, readRoles } from "../../chain/guard/roles.ts";
import { describeOperation, operationId } from "../../chain/guard/schedule.ts";
import { upstream } from "../../chain/rpc.ts";
import { type AdminAccount, openAccounts } from "../admin/accounts.ts";
import { isContract } from "../admin/holders.ts";
import { readAccess } from "../admin/reading.ts";
import { type Session, staleWarning } from "../admin/session.ts";
import type { World } from "../console.ts";
import { EXIT, Refused } from "../errors.ts";
import { callOfGuard } from "../sending/call.ts";
import { reportPending } from "../sending/outcome.ts";
import { isoTime } from "../typed.ts";
import { type ActGiven, changing } from "./options.ts";
import { showAndDeliver } from "./plan.ts";

const NOTHING = "Nothing to do: the chain is already as it should be.";

/**
 * What most admin commands are: calls that follow from the guard's state.
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
  return await changing(given, world, async (session) => {
    const roles = await readRoles(session.connection.provider, session.place.guard);
    await carryOut(session, roles, await plan(session, roles), given, command);
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
  const { world, connection } = session;
  const pending = await reportPending(session);
  const stale = staleWarning(session, roles);
  if (stale !== null) world.out(stale);
  if (calls.length === 0) {
    world.out(nothing);
    return false;
  }
  const [account = null] = given.execute ? await accountsFor(session, roles, calls, given.from) : [];
  const caller = account?.address ?? (await callerFor(session, roles, calls, given.from));
  const held = await rolesOf(connection.provider, roles.manager, caller, roles.block);
  const steps = await stepsFor(session, roles, { caller, held }, calls);
  for (const line of steps.waiting) world.out(`Waiting  ${line}`);
  if (steps.calls.length === 0) {
    world.out("Nothing to send yet: run the same command again at that time.");
    return false;
  }
  const plan = {
    command,
    block: roles.block,
    caller,
    callerIs: [...held.keys()].map(named).join(", "),
    account,
    calls: steps.calls.map((call) => callOfGuard(call, roles)),
    forSafe: { safe: caller, transactions: steps.calls.map((call) => safeTransactionOf(call, roles)) },
  };
  const isSent = await showAndDeliver(session, plan, pending, given);
  if (isSent && steps.calls.some(({ name }) => name === "schedule"))
    world.out(
      "Only scheduled: nothing has taken effect. Run the same command again after the delay; assay guard scheduled says when that is.",
    );
  return isSent;
}

/** For the Safe that is the caller. */
export function safeTransactionOf({ name, args }: AdminCall, place: Pick<GuardRoles, "guard" | "manager">) {
  const { address, abi } = contractOf(name, place);
  return safeTransaction(address, abi.getFunction(name)!, args);
}

/** The account that would act, without reading any key. @throws Refused */
async function callerFor(
  session: Session,
  roles: GuardRoles,
  calls: readonly AdminCall[],
  from: string | undefined,
): Promise<string> {
  const able = await ableAmong(
    session,
    roles,
    from === undefined ? await everyHolder(session) : [from],
    calls,
  );
  if (able[0] !== undefined) return able[0];
  throw new Refused(
    `${from ?? "Nobody"} may ${from === undefined ? "" : "not "}do this: ${await needed(session, calls)}.`,
  );
}

/**
 * The accounts of this network that may act, the least powerful first.
 * @throws Refused
 */
export async function accountsFor(
  session: Session,
  roles: GuardRoles,
  calls: readonly AdminCall[],
  from?: string,
): Promise<AdminAccount[]> {
  const { world, connection } = session;
  const accounts = await openAccounts(world, connection);
  const addresses = accounts.map(({ address }) => address);
  const wanted = addresses.filter((address) => from === undefined || address === from);
  const able = await ableAmong(session, roles, wanted, calls);
  if (able.length > 0) return able.map((address) => accounts.find((account) => account.address === address)!);
  const who = await needed(session, calls);
  for (const holder of await ableAmong(session, roles, await everyHolder(session), calls))
    if (await isContract(connection.provider, holder))
      throw new Refused(`${who}, which is a contract: write a file for it with --safe <file>.`);
  const have = accounts.length > 3 ? `${accounts.length} others` : addresses.join(", ");
  throw new Refused(`${who}, and the network "${connection.networkName}" has the keys of ${have}.`);
}

/** Those whose roles suffice for every one of the calls, the ones with the fewest roles first. */
async function ableAmong(
  { connection: { provider } }: Session,
  { manager, block }: GuardRoles,
  accounts: readonly string[],
  calls: readonly AdminCall[],
): Promise<string[]> {
  const held = await Promise.all(accounts.map((account) => rolesOf(provider, manager, account, block)));
  const may = (account: string, has: ReadonlyMap<Role, number>) =>
    calls.every(({ only, roles }) =>
      only === undefined ? roles.some((role) => has.has(role)) : only === account,
    );
  return accounts
    .map((account, index) => ({ account, has: held[index]! }))
    .filter(({ account, has }) => may(account, has))
    .sort((a, b) => a.has.size - b.has.size)
    .map(({ account }) => account);
}

/** By the manager's events. */
async function everyHolder(session: Session): Promise<string[]> {
  const { holders } = await readAccess(session);
  return [...new Set(ROLES.flatMap((role) => holders[role].map(({ account }) => account)))];
}

/** `allowRoute is for an operator (0x…)` */
async function needed(session: Session, calls: readonly AdminCall[]): Promise<string> {
  const names = [...new Set(calls.map(({ name }) => name))].join(", ");
  const { holders } = await readAccess(session);
  const holdersText = (role: Role) => {
    const accounts = holders[role].map(({ account }) => account).join(", ");
    return `${named(role)} (${accounts === "" ? "there is none" : accounts})`;
  };
  const who = new Set(
    calls.flatMap(({ only, roles }) => (only === undefined ? roles.map(holdersText) : [only])),
  );
  return `${names} is for ${[...who].join(" or ")}`;
}

/**
 * What brings each call about now: the call itself, or the next of its two steps where the caller's role has a delay.
 * @returns also, in words, what is scheduled already and not ready yet
 */
async function stepsFor(
  { connection: { provider } }: Session,
  state: GuardRoles,
  { caller, held }: { readonly caller: string; readonly held: ReadonlyMap<Role, number> },
  calls: readonly AdminCall[],
) {
  const manager = managerAt(state.manager, provider);
  const at = { blockTag: state.block };
  const [ready, waiting]: [AdminCall[], string[]] = [[], []];
  for (const call of calls) {
    const delays = call.roles.map((role) => held.get(role)).filter((delay) => delay !== undefined);
    const delay = delays.length === 0 ? 0 : Math.min(...delays);
    // The manager's own steps have no delay; its schedule says whether they are due.
    if (delay === 0 || call.name === "cancel") {
      ready.push(call);
      continue;
    }
    const { to: target, data } = encodeAdminCall(call, state);
    const operation = { caller, target, data };
    const id = operationId(operation);
    const [nonce, readyAt] = await upstream("schedule", () =>
      Promise.all([manager.getNonce(id, at), manager.getSchedule(id, at)]),
    );
    if (readyAt === 0n) ready.push(scheduleCall(call, operation, Number(nonce), delay));
    else if (Number(readyAt) <= state.blockTime)
      ready.push(executeCall(operation, describeOperation(operation, state), call));
    else waiting.push(`${call.line}: scheduled, can be executed from ${isoTime(Number(readyAt))} on`);
  }
  return { calls: ready, waiting };
}
