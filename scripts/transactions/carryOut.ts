/** From calls to their end, the same for every command: show, and then send, write a Safe file, print or stop. */
import { getAddress } from "ethers";
import { type AdminCall, named } from "../../chain/guard/adminCalls.ts";
import { describeEvent } from "../../chain/guard/events.ts";
import { ROLES, rolesOf } from "../../chain/guard/manager.ts";
import { type GuardRoles, readRoles } from "../../chain/guard/roles.ts";
import { upstream } from "../../chain/rpc.ts";
import { type AdminAccount, openAccounts } from "../accounts/accounts.ts";
import { isContract } from "../accounts/control.ts";
import { AdminError, EXIT, type ExitCode } from "../adminErrors.ts";
import { readAccess } from "../desired/readView.ts";
import { writeJson } from "../records/files.ts";
import type { AdminContext } from "../session/context.ts";
import { addressFrom, assertConfirmed, type Session, staleWarning, withSession } from "../session/session.ts";
import { assertAsSent, assertNothingPending, reportPending } from "./outcome.ts";
import { safeFile } from "./safe.ts";
import { type Intent, sendCall } from "./send.ts";
import { type Simulated, simulate } from "./simulate.ts";
import { stepsFor } from "./steps.ts";
import { headingLines, planLines, rawLines } from "./transactionLines.ts";

/** The options of a changing task as Hardhat parses them. */
export interface ActArguments {
  readonly execute?: boolean;
  readonly safe?: string | undefined;
  readonly print?: boolean;
  readonly yes?: boolean;
  readonly reason?: string | undefined;
  /** The account to act as; by default the one that holds the role. */
  readonly from?: string | undefined;
}

/** The same with a checked address. @throws AdminError `usage` also when the options contradict each other */
export function actOptions(args: ActArguments): ActArguments {
  if (args.execute && (args.safe !== undefined || args.print))
    throw new AdminError("usage", "--execute sends; it cannot be combined with --safe or --print.");
  return { ...args, from: args.from === undefined ? undefined : addressFrom(args.from, "--from") };
}

/**
 * @param calls in the order in which they are sent; one account has to be allowed all. What has to wait is scheduled
 *   first, and carried out by the same command after its delay
 * @param nothing what is said where there are none
 * @returns the exit code
 * @throws AdminError, UpstreamUnavailable
 */
export async function carryOut(
  session: Session,
  roles: GuardRoles,
  calls: readonly AdminCall[],
  args: ActArguments,
  command: string,
  nothing = "Nothing to do: the chain is already as it should be.",
): Promise<ExitCode> {
  const { world, connection } = session;
  const options = actOptions(args);
  const pending = await reportPending(session);
  const stale = staleWarning(session, roles);
  if (stale !== null) world.print(stale);
  if (calls.length === 0) {
    world.print(nothing);
    return EXIT.ok;
  }
  if (options.execute) assertNothingPending(pending);
  const [account = null] = options.execute ? await accountsFor(session, roles, calls, options.from) : [];
  const caller = account?.address ?? (await callerFor(session, roles, calls, options.from));
  const steps = await stepsFor(session, roles, caller, calls);
  for (const line of steps.waiting) world.print(`Waiting  ${line}`);
  if (steps.calls.length === 0) return EXIT.ok;
  const plan = await show(session, roles, caller, steps.calls, options);
  const intent: Intent = { command, reason: options.reason ?? null };
  if (account !== null) {
    const code = await send(session, roles, account, plan, intent, options.yes ?? false);
    if (plan.some(({ call }) => call.name === "schedule"))
      world.print("Nothing of what was scheduled has taken effect: run the same command after its delay.");
    return code;
  }
  if (options.print) for (const line of rawLines(plan)) world.print(line);
  if (options.safe !== undefined) await writeSafe(session, roles, caller, steps.calls, options.safe, command);
  world.print("");
  if (options.safe === undefined && !options.print)
    world.print(
      "Dry run: nothing was sent. --execute sends, --safe <file> writes a Safe file, --print the data.",
    );
  else world.print(`Nothing was sent on chain ${connection.chainId}.`);
  return EXIT.ok;
}

/**
 * What most commands are: calls that follow from the guard's roles.
 * @param command as it is typed, for the history
 * @param plan the calls that bring about what was asked for; none where it is so already
 * @returns the exit code
 */
export async function actOnGuard(
  world: AdminContext,
  args: ActArguments,
  command: string,
  plan: (session: Session, roles: GuardRoles) => AdminCall[] | Promise<AdminCall[]>,
): Promise<ExitCode> {
  return await withSession(world, async (session) => {
    const options = actOptions(args);
    const roles = await readRoles(session.connection.provider, session.place.guard);
    return await carryOut(session, roles, await plan(session, roles), options, command);
  });
}

/** Simulates and shows. @throws AdminError `reverted` */
async function show(
  { world, connection, place }: Session,
  roles: GuardRoles,
  caller: string,
  calls: readonly AdminCall[],
  options: ActArguments,
): Promise<Simulated[]> {
  const role = [...(await rolesOf(connection.provider, roles.manager, caller, roles.block)).keys()];
  const heading = headingLines({ connection, place }, roles, caller, role.map(named).join(", "));
  for (const line of heading) world.print(line);
  if (options.reason !== undefined) world.print(`Reason   ${options.reason}`);
  const plan = await simulate(connection.provider, roles, caller, calls);
  const { gasPrice } = await upstream("gas price", () => connection.provider.getFeeData());
  for (const line of planLines(plan, connection.chainId, gasPrice)) world.print(line);
  return plan;
}

async function send(
  session: Session,
  place: GuardRoles,
  account: AdminAccount,
  plan: readonly Simulated[],
  intent: Intent,
  yes: boolean,
): Promise<ExitCode> {
  const { world, records, connection } = session;
  world.print("");
  const many = plan.length === 1 ? "this transaction" : `these ${plan.length} transactions`;
  const question = `Send ${many} to chain ${connection.chainId} as ${account.address}?`;
  await assertConfirmed(session, yes, question);
  for (const [index, planned] of plan.entries()) {
    const number = plan.length === 1 ? "" : `${index + 1}. `;
    const entry = await sendCall(session, place, account, planned, intent, (hash) =>
      world.print(`${number}sent       ${hash}`),
    );
    assertAsSent(entry);
    world.print(
      `${number}confirmed  block ${entry.block}, gas ${Number(entry.gasUsed).toLocaleString("en-US")}`,
    );
    for (const event of entry.events) world.print(`   event     ${describeEvent(event)}`);
    for (const { what, value } of entry.readBack) world.print(`   read back ${what}: ${value}`);
  }
  world.print(`Done; ${records.path("history.jsonl")} has it.`);
  return EXIT.ok;
}

async function writeSafe(
  { world, connection }: Session,
  { guard, manager }: GuardRoles,
  safe: string,
  calls: readonly AdminCall[],
  path: string,
  command: string,
): Promise<void> {
  const file = safeFile({
    chainId: connection.chainId,
    ...{ guard, manager },
    safe,
    calls,
    name: command,
    now: world.now(),
  });
  await writeJson(path, file);
  world.print("");
  if ((await contractAmong(connection.provider, [safe])) === null)
    world.print(`WARNING  ${safe} is not a contract: the role is not held by a Safe (yet).`);
  world.print(
    `Wrote ${path} for the Safe ${safe}: ${calls.length} transaction(s), checksum ${file.meta.checksum}.`,
  );
}

/** The account that would act, without reading any key. @throws AdminError `no_permission` */
async function callerFor(
  session: Session,
  roles: GuardRoles,
  calls: readonly AdminCall[],
  from: string | undefined,
): Promise<string> {
  if (from !== undefined) {
    const caller = getAddress(from);
    if ((await powerOf(session, roles, caller, calls)) !== null) return caller;
    throw new AdminError("no_permission", `${caller} may not do this: ${await needed(session, calls)}.`);
  }
  const [first] = await holdersOf(session, calls);
  if (first === undefined)
    throw new AdminError("no_permission", `Nobody may do this: ${await needed(session, calls)}.`);
  return first;
}

/**
 * The accounts of this network that may act, the least powerful first.
 * @throws AdminError `no_permission`, `no_account`
 */
export async function accountsFor(
  session: Session,
  roles: GuardRoles,
  calls: readonly AdminCall[],
  from?: string,
): Promise<AdminAccount[]> {
  const { world, connection } = session;
  const accounts = await openAccounts(world, connection);
  const wanted = accounts.filter(({ address }) => from === undefined || address === getAddress(from));
  const powers = await Promise.all(wanted.map(({ address }) => powerOf(session, roles, address, calls)));
  const able = wanted
    .map((account, index) => ({ account, power: powers[index] ?? null }))
    .filter(({ power }) => power !== null)
    .sort((a, b) => a.power! - b.power!);
  if (able.length > 0) return able.map(({ account }) => account);
  const contract = await contractAmong(connection.provider, await holdersOf(session, calls));
  const have =
    accounts.length > 3 ? `${accounts.length} others` : accounts.map(({ address }) => address).join(", ");
  throw new AdminError(
    "no_permission",
    contract === null
      ? `${await needed(session, calls)}, and the network "${connection.networkName}" has the keys of ${have}.`
      : `${await needed(session, calls)}, which is a contract: write a file for it with --safe <file>.`,
  );
}

/** How many roles the account holds; null where they do not suffice for every one of the calls. */
async function powerOf(
  { connection: { provider } }: Session,
  { manager, block }: GuardRoles,
  account: string,
  calls: readonly AdminCall[],
): Promise<number | null> {
  const held = await rolesOf(provider, manager, account, block);
  const may = ({ only, roles }: AdminCall) =>
    only === undefined ? roles.some((role) => held.has(role)) : only === account;
  return calls.every(may) ? held.size : null;
}

async function contractAmong(
  provider: Session["connection"]["provider"],
  holders: readonly string[],
): Promise<string | null> {
  for (const holder of holders) if (await isContract(provider, holder)) return holder;
  return null;
}

/** Those whose roles suffice for every one of the calls, by the manager's events; the least powerful first. */
async function holdersOf(session: Session, calls: readonly AdminCall[]): Promise<string[]> {
  const { holders } = await readAccess(session);
  const power = new Map<string, number>();
  for (const { account } of ROLES.flatMap((role) => holders[role]))
    power.set(account, (power.get(account) ?? 0) + 1);
  const may = (account: string, { only, roles }: AdminCall) =>
    only === undefined ? roles.some((role) => isAmong(holders[role], account)) : only === account;
  return [...power.keys()]
    .filter((account) => calls.every((call) => may(account, call)))
    .sort((a, b) => power.get(a)! - power.get(b)!);
}

const isAmong = (members: readonly { account: string }[], account: string) =>
  members.some((member) => member.account === account);

/** `allowRoute is for an operator (0x…)` */
async function needed(session: Session, calls: readonly AdminCall[]): Promise<string> {
  const names = [...new Set(calls.map(({ name }) => name))].join(", ");
  const { holders } = await readAccess(session);
  const who = new Set(
    calls.flatMap(({ only, roles }) =>
      only === undefined
        ? roles.map((role) => {
            const accounts = holders[role].map(({ account }) => account).join(", ");
            return `${named(role)} (${accounts === "" ? "there is none" : accounts})`;
          })
        : [only],
    ),
  );
  return `${names} is for ${[...who].join(" or ")}`;
}
