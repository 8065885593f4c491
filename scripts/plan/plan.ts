/** A change is planned, shown, and then sent, written for a Safe, or printed: what every command does that changes something. */
import { formatEther, formatUnits, type JsonRpcProvider, ZeroAddress } from "ethers";
import { coinOf } from "../../attestor/chains.ts";
import type { SafeTransaction } from "../../attestor/evm/safeFile.ts";
import { describeEvent, type GuardEvent } from "../../chain/guard/events.ts";
import { upstream } from "../../chain/rpc.ts";
import type { AdminAccount } from "../admin/accounts.ts";
import type { Pending } from "../admin/pending.ts";
import type { HistoryEntry } from "../admin/records.ts";
import { assertConfirmed, type Session } from "../admin/session.ts";
import { type Call, withMargin } from "../sending/call.ts";
import { assertAsSent } from "../sending/outcome.ts";
import { STEADY } from "../sending/paces.ts";
import { blockedBy, isOf, type Sending, send } from "../sending/send.ts";
import type { ActGiven } from "./options.ts";
import { writeSafeFile } from "./safeFile.ts";
import { simulatedEvents, tried } from "./simulate.ts";

export interface Plan {
  /** As it is typed, for the history. */
  readonly command: string;
  /** The block whose state was looked at. */
  readonly block: number;
  /** Who acts; null: whoever wants to. */
  readonly caller: string | null;
  /** `a pauser` */
  readonly callerIs: string;
  /** The caller's key; null: nothing is to be sent from here. */
  readonly account: AdminAccount | null;
  /** Further lines of the heading. */
  readonly about?: readonly string[];
  /** In the order in which they are sent; none builds on another. Their gas limits follow when they are tried. */
  readonly calls: readonly Call[];
  /** The same for the owners of a Safe; null where no Safe is needed. */
  readonly forSafe: { readonly safe: string; readonly transactions: readonly SafeTransaction[] } | null;
}

/**
 * @param pending a transaction without an outcome, which blocks all others but its own call
 * @returns whether it was sent; when it was, a block has it
 * @throws CommandError, UpstreamUnavailable
 */
export async function showAndDeliver(
  session: Session,
  plan: Plan,
  pending: Pending | null,
  given: ActGiven,
): Promise<boolean> {
  const { world, connection } = session;
  const { account } = plan;
  if (account !== null) assertNotBlocked(pending, plan, account);
  for (const line of headingLines(session, plan)) world.out(line);
  if (given.reason !== undefined) world.out(`Reason   ${given.reason}`);
  const shown = await Promise.all(plan.calls.map((call) => simulate(connection.provider, plan, call)));
  const { gasPrice } = await upstream("gas price", () => connection.provider.getFeeData());
  for (const [index, call] of shown.entries())
    for (const line of callLines(call, index, connection.chainId, gasPrice)) world.out(line);
  const calls = shown.map(({ call }) => call);
  if (account !== null) {
    await sendAll(session, { ...plan, calls }, account, given);
    return true;
  }
  if (given.print) for (const line of rawLines(calls)) world.out(line);
  const { command: name, forSafe } = plan;
  if (given.safe !== undefined && forSafe !== null) {
    const description = calls.map(({ line }) => line).join("; ");
    const content = { chainId: connection.chainId, name, description, ...forSafe };
    await writeSafeFile(given.safe, content, connection.provider, world);
  }
  world.out("");
  const toWrite = forSafe === null ? "" : ", --safe <file> writes a Safe file";
  world.out(
    given.safe === undefined && !given.print
      ? `Dry run: nothing was sent. --execute sends${toWrite}, --print the data.`
      : `Nothing was sent on chain ${connection.chainId}.`,
  );
  return false;
}

function assertNotBlocked(
  pending: Pending | null,
  { calls: [first] }: Plan,
  { address }: AdminAccount,
): void {
  if (pending === null || first === undefined || isOf(pending, first, address)) return;
  throw blockedBy();
}

/** Who does it, and where. */
export function headingLines(
  { connection: { chainId, networkName }, place }: Pick<Session, "connection" | "place">,
  { block, caller, callerIs, about = [] }: Pick<Plan, "block" | "caller" | "callerIs" | "about">,
): string[] {
  return [
    `Chain    ${chainId} (${networkName}), block ${block}`,
    `Guard    ${place.guard}`,
    ...about,
    `Caller   ${caller === null ? callerIs : `${caller}, ${callerIs}`}`,
  ];
}

type Simulated = Awaited<ReturnType<typeof simulate>>;

/** On the latest block. @throws Reverted with the decoded error, UpstreamUnavailable */
async function simulate(provider: JsonRpcProvider, { caller }: Plan, call: Call) {
  const { to, data, line, guard, manager } = call;
  const transaction = { from: caller ?? ZeroAddress, to, data };
  const gas = await tried(provider, line, transaction);
  const events = manager === null ? [] : await simulatedEvents(provider, { guard, manager }, transaction);
  return { call: { ...call, gasLimit: withMargin(gas) }, gas, events };
}

/** @param gasPrice wei; null where the node names none */
function callLines(
  { call: { line, change, decoded }, gas, events }: Simulated,
  index: number,
  chainId: number,
  gasPrice: bigint | null,
): string[] {
  const amount = gas.toLocaleString("en-US");
  const cost =
    gasPrice === null
      ? ""
      : ` at ${formatUnits(gasPrice, "gwei")} gwei = ${formatEther(gas * gasPrice)} ${coinOf(chainId)}`;
  const eventLines =
    events === null
      ? ["   event   (this node simulates no events)"]
      : eventTexts(events).map((text) => `   event   ${text}`);
  return [
    "",
    `${index + 1}. ${line}`,
    `   change  ${change.what}: ${change.from} -> ${change.to}`,
    `   call    ${decoded}`,
    `   gas     ${amount}${cost}`,
    ...eventLines,
  ];
}

/** The functions of a new guard are one line: the source says which role may call which. */
function eventTexts(events: readonly GuardEvent[]): string[] {
  const [functions, others] = [events.filter(isOfFunction), events.filter((event) => !isOfFunction(event))];
  const counted = functions.length === 0 ? [] : [`${functions[0]!.name}, ${functions.length} times`];
  return [...others.map(describeEvent), ...counted];
}

const isOfFunction = ({ name }: GuardEvent) => name === "TargetFunctionRoleUpdated";

/** Each is read back before the next. */
async function sendAll(
  session: Session,
  { calls, command }: Plan,
  account: AdminAccount,
  { yes, reason }: ActGiven,
): Promise<void> {
  const { world, connection, records } = session;
  world.out("");
  const many = calls.length === 1 ? "this transaction" : `these ${calls.length} transactions`;
  await assertConfirmed(session, yes, `Send ${many} to chain ${connection.chainId} as ${account.address}?`);
  await account.unlock();
  for (const [index, call] of calls.entries()) {
    const number = calls.length === 1 ? "" : `${index + 1}. `;
    const say = (line: string) => world.out(`${number}${line}`);
    const sending: Sending = { session, account, intent: { command, reason: reason ?? null }, say };
    const entry = await send(sending, call, STEADY);
    assertAsSent(entry);
    for (const line of confirmedLines(entry)) say(line);
  }
  world.out(`Done; ${records.path("history.jsonl")} has it.`);
}

function confirmedLines({ block, gasUsed, events, readBack }: HistoryEntry): string[] {
  return [
    `confirmed  block ${block}, gas ${Number(gasUsed).toLocaleString("en-US")}`,
    ...eventTexts(events).map((text) => `   event     ${text}`),
    ...readBack.map(({ what, value }) => `   read back ${what}: ${value}`),
  ];
}

/** For scripts, and for people who send by other means. */
function rawLines(calls: readonly Call[]): string[] {
  return calls.flatMap(({ line, to, data }, index) => [
    "",
    `${index + 1}. ${line}`,
    `   to      ${to}`,
    "   value   0",
    `   data    ${data}`,
  ]);
}
