/** Calls that need no role of the guard: tried and shown, and then delivered as all others. */
import { ZeroAddress } from "ethers";
import type { PlainCall } from "../../attestor/evm/reads.ts";
import { type SafeTransaction, safeFileOf } from "../../attestor/evm/safeFile.ts";
import { upstream } from "../../chain/rpc.ts";
import { type AdminAccount, openAccounts } from "../admin/accounts.ts";
import type { Session } from "../admin/session.ts";
import { CommandError, UsageError } from "../errors.ts";
import { type Call, withMargin } from "../sending/call.ts";
import { reportPending } from "../sending/outcome.ts";
import { blockedBy, isOf } from "../sending/send.ts";
import { deliver } from "./deliver.ts";
import { gasText } from "./lines.ts";
import type { SendGiven } from "./options.ts";
import { tried } from "./simulate.ts";

export interface Way {
  /** The required sender; null: anybody can. */
  readonly by: string | null;
  readonly call: PlainCall;
}

export interface PlainPlan {
  readonly line: string;
  /** For the history. */
  readonly name: string;
  /** The preferred one first. */
  readonly ways: readonly Way[];
  /** The accounts that could, for the error where none here can. */
  readonly who: string;
  /** Tried first: a Safe does not pass on why a call of it fails. */
  readonly trial?: PlainCall & { readonly from: string };
  /** The contract that is there after it. */
  readonly creates?: string;
  /** The same for the Transaction Builder of this Safe. */
  readonly file?: { readonly safe: string; readonly transactions: readonly SafeTransaction[] };
}

/**
 * @param command as it is typed
 * @returns whether it was sent; when it was, a block has it
 * @throws CommandError, UpstreamUnavailable
 */
export async function carryOutPlain(
  session: Session,
  plan: PlainPlan,
  given: SendGiven,
  command: string,
): Promise<boolean> {
  const { world, connection } = session;
  const { provider, chainId } = connection;
  const { execute, safe, from } = given;
  const pending = await reportPending(session);
  const wanted = plan.ways.filter(({ by }) => from === undefined || by === null || by === from);
  const accounts = execute ? await openAccounts(world, connection) : [];
  const { way, account } = execute ? firstAble(wanted, accounts, from) : { way: wanted[0], account: null };
  if (plan.trial !== undefined) await tried(provider, plan.line, plan.trial);
  if (way === undefined && safe === undefined) throw new CommandError("no_permission", plan.who);
  if (safe !== undefined && plan.file === undefined)
    throw new UsageError("No Safe is needed for this: anybody can send it.");
  world.out("");
  world.out(plan.line);
  const calls: Call[] = [];
  if (way !== undefined) {
    const sender = account?.address ?? way.by ?? from ?? ZeroAddress;
    const gas = await tried(provider, plan.line, { from: sender, ...way.call });
    const { gasPrice } = await upstream("gas price", () => provider.getFeeData());
    if (sender !== ZeroAddress) world.out(`   sender  ${sender}`);
    world.out(`   gas     ${gasText(gas, chainId, gasPrice)}`);
    calls.push(callOf(session, plan, way.call, gas));
    if (pending !== null && account !== null && !isOf(pending, way.call, account.address)) throw blockedBy();
  }
  const file = plan.file && {
    chainId,
    name: command,
    description: plan.line,
    now: world.now(),
    ...plan.file,
  };
  const intent = { command, reason: null };
  const safeFile = file === undefined ? null : safeFileOf(file);
  return await deliver(session, { calls, account, intent, safeFile }, given);
}

function callOf({ place }: Session, { line, name, creates }: PlainPlan, call: PlainCall, gas: bigint): Call {
  return {
    kind: creates === undefined ? "plain" : "create",
    to: call.to,
    data: call.data,
    gasLimit: withMargin(gas),
    line,
    name,
    args: [],
    guard: place.guard,
    manager: null,
    creates: creates ?? null,
    expects: [],
  };
}

function firstAble(
  ways: readonly Way[],
  accounts: readonly AdminAccount[],
  from: string | undefined,
): { way: Way | undefined; account: AdminAccount | null } {
  const own = accounts.filter(({ address }) => from === undefined || address === from);
  for (const way of ways) {
    const account = way.by === null ? own[0] : own.find(({ address }) => address === way.by);
    if (account !== undefined) return { way, account };
  }
  return { way: undefined, account: null };
}
