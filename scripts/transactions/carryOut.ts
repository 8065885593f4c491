/** From calls to their end, the same for every command: show, and then send, write a Safe file, print or stop. */
import { getAddress } from "ethers";
import { type AdminCall, holderOf, type Role } from "../../chain/guard/adminCalls.ts";
import { describeEvent } from "../../chain/guard/events.ts";
import { type GuardRoles, readRoles } from "../../chain/guard/roles.ts";
import { upstream } from "../../chain/rpc.ts";
import { type AdminAccount, openAccounts } from "../accounts/accounts.ts";
import { AdminError, EXIT, type ExitCode } from "../adminErrors.ts";
import { writeJson } from "../records/files.ts";
import type { AdminContext } from "../session/context.ts";
import { addressFrom, assertConfirmed, type Session, staleWarning, withSession } from "../session/session.ts";
import { assertNothingPending, reportPending } from "./pendingReport.ts";
import { safeFile } from "./safe.ts";
import { type Intent, sendCall } from "./send.ts";
import { assertAsSent } from "./settle.ts";
import { type Simulated, simulate } from "./simulate.ts";
import { headingLines, planLines, rawLines } from "./transactionLines.ts";

/** The options of a changing task as Hardhat parses them. */
export interface ActArguments {
  readonly execute?: boolean;
  /** Path of the Safe file to write. */
  readonly safe?: string | undefined;
  readonly print?: boolean;
  /** No question before sending on a live chain. */
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
 * @param calls in the order in which they are sent; one role at least is common to all
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
  const account = options.execute ? await accountFor(session, roles, calls, options.from) : null;
  const caller = account?.address ?? callerFor(roles, calls, options.from);
  const plan = await show(session, roles, caller, calls, options);
  const intent: Intent = { command, reason: options.reason ?? null };
  if (account !== null) return await send(session, account, plan, intent, options.yes ?? false);
  if (options.print) for (const line of rawLines(session.place.guard, plan)) world.print(line);
  if (options.safe !== undefined) await writeSafe(session, caller, calls, options.safe, command);
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
  const heading = headingLines({ connection, place }, roles, caller, roleOf(caller, roles, calls));
  for (const line of heading) world.print(line);
  if (options.reason !== undefined) world.print(`Reason   ${options.reason}`);
  const plan = await simulate(connection.provider, place.guard, caller, calls);
  const { gasPrice } = await upstream("gas price", () => connection.provider.getFeeData());
  for (const line of planLines(plan, connection.chainId, gasPrice)) world.print(line);
  return plan;
}

async function send(
  session: Session,
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
    const entry = await sendCall(session, account, planned, intent, (hash) =>
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
  { world, connection, place }: Session,
  safe: string,
  calls: readonly AdminCall[],
  path: string,
  command: string,
): Promise<void> {
  const file = safeFile({
    chainId: connection.chainId,
    guard: place.guard,
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

/** The roles that may make every one of the calls, the first choice first. */
function commonRoles(calls: readonly AdminCall[]): Role[] {
  return (calls[0]?.roles ?? []).filter((role) => calls.every(({ roles }) => roles.includes(role)));
}

/** Who would act, without looking at any key. @throws AdminError `no_permission` */
function callerFor(roles: GuardRoles, calls: readonly AdminCall[], from: string | undefined): string {
  const holders = holdersOf(roles, calls);
  if (from !== undefined) {
    const caller = getAddress(from);
    if (holders.includes(caller)) return caller;
    throw new AdminError("no_permission", `${caller} may not do this: ${needed(roles, calls)}.`);
  }
  const [first] = holders;
  if (first === undefined)
    throw new AdminError("no_permission", `Nobody may do this: ${needed(roles, calls)}.`);
  return first;
}

/** The account of this network that may act. @throws AdminError `no_permission`, `no_account` */
export async function accountFor(
  { world, connection }: Pick<Session, "world" | "connection">,
  roles: GuardRoles,
  calls: readonly AdminCall[],
  from?: string,
): Promise<AdminAccount> {
  const accounts = await openAccounts(world, connection);
  const holders = holdersOf(roles, calls).filter(
    (holder) => from === undefined || holder === getAddress(from),
  );
  for (const holder of holders) {
    const account = accounts.find(({ address }) => address === holder);
    if (account !== undefined) return account;
  }
  const contract = await contractAmong(connection.provider, holders);
  const have =
    accounts.length > 3 ? `${accounts.length} others` : accounts.map(({ address }) => address).join(", ");
  throw new AdminError(
    "no_permission",
    contract === null
      ? `${needed(roles, calls)}, and the network "${connection.networkName}" has the keys of ${have}.`
      : `${needed(roles, calls)}, which is a contract: write a file for it with --safe <file>.`,
  );
}

async function contractAmong(
  provider: Session["connection"]["provider"],
  holders: readonly string[],
): Promise<string | null> {
  for (const holder of holders) {
    const code = await upstream("code", () => provider.getCode(holder));
    // An account that delegates to code (EIP-7702) still has a key of its own.
    if (code !== "0x" && !code.startsWith("0xef0100")) return holder;
  }
  return null;
}

function holdersOf(roles: GuardRoles, calls: readonly AdminCall[]): string[] {
  return commonRoles(calls)
    .map((role) => holderOf(role, roles))
    .filter((holder) => holder !== null);
}

/** `setRoute is for the admin (0x…)` */
function needed(roles: GuardRoles, calls: readonly AdminCall[]): string {
  const names = [...new Set(calls.map(({ name }) => name))].join(", ");
  const who = commonRoles(calls).map((role) => `the ${role} (${holderOf(role, roles) ?? "there is none"})`);
  return `${names} is for ${who.join(" or ")}`;
}

function roleOf(caller: string, roles: GuardRoles, calls: readonly AdminCall[]): string {
  const role = commonRoles(calls).find((candidate) => holderOf(candidate, roles) === caller);
  return `the ${role}`;
}
