/** A change is planned, shown, and then sent, written for a Safe, or printed: the middle of every command that changes something. */
import { formatEther, formatUnits, type JsonRpcProvider, ZeroAddress } from "ethers";
import { coinOf } from "../../attestor/chains.ts";
import { type SafeTransaction, safeFileOf } from "../../attestor/evm/safeFile.ts";
import type { AdminCall } from "../../chain/guard/adminCalls.ts";
import { upstream } from "../../chain/rpc.ts";
import type { AdminAccount } from "../admin/accounts.ts";
import type { Pending } from "../admin/pending.ts";
import type { Session } from "../admin/session.ts";
import { type Call, withMargin } from "../sending/call.ts";
import { blockedBy, isOf } from "../sending/send.ts";
import { deliver, eventTexts } from "./deliver.ts";
import type { ActGiven } from "./options.ts";
import { simulatedEvents, tried } from "./simulate.ts";

export interface PlannedCall {
  /** Its gas limit follows when it is tried. */
  readonly call: Call;
  /** Function and arguments, in words. */
  readonly decoded: string;
  readonly change: AdminCall["change"];
}

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
  /** In the order in which they are sent; none builds on another. */
  readonly calls: readonly PlannedCall[];
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
  const { command, account, calls, forSafe } = plan;
  if (account !== null) assertNotBlocked(pending, plan, account);
  for (const line of headingLines(session, plan)) world.out(line);
  if (given.reason !== undefined) world.out(`Reason   ${given.reason}`);
  const shown = await Promise.all(calls.map((call) => simulate(connection.provider, plan, call)));
  const { gasPrice } = await upstream("gas price", () => connection.provider.getFeeData());
  for (const [index, call] of shown.entries())
    for (const line of callLines(call, index, connection.chainId, gasPrice)) world.out(line);
  const description = calls.map(({ call }) => call.line).join("; ");
  const about = { chainId: connection.chainId, name: command, description, now: world.now() };
  return await deliver(
    session,
    {
      calls: shown.map(({ call }) => call),
      account,
      intent: { command, reason: given.reason ?? null },
      safeFile: forSafe === null ? null : safeFileOf({ ...about, ...forSafe }),
    },
    given,
  );
}

function assertNotBlocked(pending: Pending | null, { calls }: Plan, { address }: AdminAccount): void {
  const first = calls[0]?.call;
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

/** On the latest block. @throws CommandError `reverted` with the decoded error, UpstreamUnavailable */
async function simulate(provider: JsonRpcProvider, { caller }: Plan, planned: PlannedCall) {
  const { to, data, line, guard, manager } = planned.call;
  const transaction = { from: caller ?? ZeroAddress, to, data };
  const gas = await tried(provider, line, transaction);
  const events = manager === null ? [] : await simulatedEvents(provider, { guard, manager }, transaction);
  return { ...planned, call: { ...planned.call, gasLimit: withMargin(gas) }, gas, events };
}

/** @param gasPrice wei; null where the node names none */
function callLines(
  { call, change, decoded, gas, events }: Simulated,
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
    `${index + 1}. ${call.line}`,
    `   change  ${change.what}: ${change.from} -> ${change.to}`,
    `   call    ${decoded}`,
    `   gas     ${amount}${cost}`,
    ...eventLines,
  ];
}
