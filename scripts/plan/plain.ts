/** Calls that need no role of the guard, such as a Safe's and creations of contracts, as a plan. */
import type { PlainCall } from "../../attestor/evm/reads.ts";
import { upstream } from "../../chain/rpc.ts";
import { type AdminAccount, openAccounts } from "../admin/accounts.ts";
import { hasCode } from "../admin/holders.ts";
import type { Session } from "../admin/session.ts";
import { Refused, UsageError } from "../errors.ts";
import type { Call } from "../sending/call.ts";
import { reportPending } from "../sending/outcome.ts";
import type { ActGiven } from "./options.ts";
import { type Plan, showAndDeliver } from "./plan.ts";

export interface Way {
  /** The required sender; null: anybody can. */
  readonly by: string | null;
  readonly call: PlainCall;
}

export interface PlainPlan extends Pick<Plan, "command" | "about"> {
  readonly line: string;
  readonly change: Call["change"];
  /** The function, for the history. */
  readonly name: string;
  /** The preferred one first. */
  readonly ways: readonly Way[];
  /** The accounts that could, for the error where none here can. */
  readonly who: string;
  /** Whatever must hold first, such as a Safe's call, which does not pass on why it fails. @throws CommandError */
  assertPossible?(): Promise<unknown>;
  /** The contract that is there after it. */
  readonly creates?: string;
  /** Of a guard's creation: what its constructor takes, and what its views say after it. */
  readonly creation?: Pick<Call, "args" | "manager" | "expects" | "decoded">;
  /** The same for the Transaction Builder of this Safe. */
  readonly forSafe?: NonNullable<Plan["forSafe"]>;
}

/**
 * @returns whether it was sent; when it was, a block has it
 * @throws CommandError, UpstreamUnavailable
 */
export async function carryOutPlain(session: Session, plain: PlainPlan, given: ActGiven): Promise<boolean> {
  const { world, connection } = session;
  const { provider } = connection;
  const { command, about, ways, forSafe = null } = plain;
  const pending = await reportPending(session);
  if (given.safe !== undefined && forSafe === null)
    throw new UsageError("No Safe is needed for this: anybody can send it.");
  if (plain.creates !== undefined) await assertDeployer(session, ways[0]!.call.to);
  await plain.assertPossible?.();
  const { from } = given;
  const wanted = ways.filter(({ by }) => from === undefined || by === null || by === from);
  const accounts = given.execute ? await openAccounts(world, connection) : [];
  const { way, account } = given.execute
    ? firstAble(wanted, accounts, from)
    : { way: wanted[0], account: null };
  if (way === undefined && given.safe === undefined) throw new Refused(plain.who);
  const block = await upstream("block", () => provider.getBlockNumber());
  const caller = account?.address ?? way?.by ?? from ?? null;
  const calls = way === undefined ? [] : [plannedCall(session, plain, way.call)];
  const known = plain.creation === undefined ? "who may send it" : "the deployer";
  const callerIs = caller === null ? "any account" : known;
  const plan = { command, about, block, caller, callerIs, account, calls, forSafe };
  return await showAndDeliver(session, plan, pending, given);
}

/** @throws Refused */
async function assertDeployer({ connection: { provider } }: Session, deployer: string): Promise<void> {
  if (!(await hasCode(provider, deployer)))
    throw new Refused(`This chain lacks the CREATE2 deployer at ${deployer}.`);
}

function plannedCall({ place }: Session, plain: PlainPlan, { to, data }: PlainCall): Call {
  const { line, name, change, creates = null, creation } = plain;
  return {
    kind: creates === null ? "plain" : "create",
    to,
    data,
    gasLimit: 0n,
    line,
    change,
    decoded: creation?.decoded ?? `${name} of ${to}`,
    name,
    args: creation?.args ?? [],
    guard: place.guard,
    manager: creation?.manager ?? null,
    creates,
    expects: creation?.expects ?? [],
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
