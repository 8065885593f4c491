/**
 * Transactions that need no role of the guard: simulated and shown, and then sent by a permitted account, or written
 * for a Safe.
 */
import { getAddress, ZeroAddress } from "ethers";
import type { PlainCall } from "../../attestor/evm/reads.ts";
import { type SafeTransaction, safeFileOf } from "../../attestor/evm/safeFile.ts";
import { upstream } from "../../chain/rpc.ts";
import { type AdminAccount, openAccounts } from "../accounts/accounts.ts";
import { AdminError } from "../adminErrors.ts";
import { writeJson } from "../records/files.ts";
import { assertConfirmed, type Session } from "../session/session.ts";
import { type ActArguments, actOptions } from "./carryOut.ts";
import { broadcast, currentFees } from "./send.ts";
import { tried } from "./simulate.ts";
import { gasText } from "./transactionLines.ts";

export type SendArguments = Omit<ActArguments, "reason">;

export interface Way {
  /** The required sender; null: anybody can. */
  readonly by: string | null;
  readonly call: PlainCall;
}

export interface PlainPlan {
  readonly line: string;
  /** The preferred one first. */
  readonly ways: readonly Way[];
  /** The accounts that could, for the error where none here can. */
  readonly who: string;
  /** Tried first: a Safe does not pass on why a call of it fails. */
  readonly trial?: PlainCall & { readonly from: string };
  /** The same for the Transaction Builder of this Safe. */
  readonly file?: { readonly safe: string; readonly transactions: readonly SafeTransaction[] };
}

const WAIT_MS = 5 * 60_000;

/**
 * @param command as it is typed, for the file
 * @returns whether it was sent; when it was, a block has it
 * @throws AdminError, UpstreamUnavailable
 */
export async function carryOutPlain(
  session: Session,
  plan: PlainPlan,
  args: SendArguments,
  command: string,
): Promise<boolean> {
  const { world, connection } = session;
  const { execute, print, safe, from, yes } = actOptions(args);
  const wanted = plan.ways.filter(({ by }) => from === undefined || by === null || by === from);
  const accounts = execute ? await openAccounts(world, connection) : [];
  const { way, account } = execute ? firstAble(wanted, accounts, from) : { way: wanted[0] };
  if (plan.trial !== undefined) await tried(connection.provider, plan.line, plan.trial);
  if (way === undefined && safe === undefined) throw new AdminError("no_permission", plan.who);
  world.print("");
  world.print(plan.line);
  if (way !== undefined) {
    const sender = account?.address ?? way.by ?? from ?? ZeroAddress;
    const gas = await tried(connection.provider, plan.line, { from: sender, ...way.call });
    const { gasPrice } = await upstream("gas price", () => connection.provider.getFeeData());
    if (sender !== ZeroAddress) world.print(`   sender  ${sender}`);
    world.print(`   gas     ${gasText(gas, connection.chainId, gasPrice)}`);
    if (print)
      for (const [name, text] of Object.entries(way.call)) world.print(`   ${name.padEnd(7)} ${text}`);
    if (account !== undefined) {
      await assertConfirmed(
        session,
        yes,
        `Send this transaction to chain ${connection.chainId} as ${sender}?`,
      );
      await sendPlain(session, account, way.call, gas);
      return true;
    }
  }
  if (safe !== undefined) await writeFile(session, plan, safe, command);
  world.print("");
  world.print(
    safe === undefined && !print
      ? "Dry run: nothing was sent. --execute sends, --safe <file> writes a Safe file, --print the data."
      : `Nothing was sent on chain ${connection.chainId}.`,
  );
  return false;
}

function firstAble(
  ways: readonly Way[],
  accounts: readonly AdminAccount[],
  from: string | undefined,
): { way?: Way; account?: AdminAccount } {
  const own = accounts.filter(({ address }) => from === undefined || address === getAddress(from));
  for (const way of ways) {
    const account = way.by === null ? own[0] : own.find(({ address }) => address === way.by);
    if (account !== undefined) return { way, account };
  }
  return {};
}

/** Each of these can be sent again as it is, so nothing is written down before. */
async function sendPlain(session: Session, account: AdminAccount, call: PlainCall, gas: bigint) {
  const { world, connection } = session;
  const { provider, chainId } = connection;
  const transaction = {
    ...{ chainId, from: account.address, ...call, gasLimit: (gas * 5n) / 4n },
    nonce: await upstream("nonce", () => provider.getTransactionCount(account.address, "pending")),
    ...(await currentFees(session)),
  };
  const raw = await account.sign(transaction);
  const hash = raw === null ? await account.send(transaction) : await broadcast(provider, raw);
  world.print(`   sent    ${hash}`);
  const receipt = await provider.waitForTransaction(hash, 1, WAIT_MS).catch(() => null);
  if (receipt === null)
    throw new AdminError(
      "pending_transaction",
      `No block that is known here has ${hash} yet. Look for it again later.`,
    );
  if (receipt.status !== 1)
    throw new AdminError(
      "reverted",
      `The transaction ${hash} was mined in block ${receipt.blockNumber} and reverted.`,
    );
  world.print(`   mined   block ${receipt.blockNumber}, gas ${receipt.gasUsed.toLocaleString("en-US")}`);
}

async function writeFile(session: Session, { file, line }: PlainPlan, path: string, command: string) {
  const { world, connection } = session;
  if (file === undefined) throw new AdminError("usage", "No Safe is needed for this: anybody can send it.");
  const { chainId } = connection;
  const written = safeFileOf({ chainId, ...file, name: command, description: line, now: world.now() });
  await writeJson(path, written);
  world.print(`   Wrote ${path} for the Safe ${file.safe}, checksum ${written.meta.checksum}.`);
}
