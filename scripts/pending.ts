/** `guard pending`: what became of a transaction that no run saw to its end, and three ways to bring it to one. */
import { upstream } from "../chain/rpc.ts";
import { type AdminAccount, type CallTransaction, openAccounts } from "./accounts/accounts.ts";
import { AdminError, EXIT, type ExitCode } from "./adminErrors.ts";
import type { HistoryEntry } from "./records/history.ts";
import type { Pending } from "./records/pending.ts";
import type { AdminContext } from "./session/context.ts";
import { assertConfirmed, type Session, withSession } from "./session/session.ts";
import { assertAsSent, reportOne } from "./transactions/outcome.ts";
import {
  asUnderWay,
  attempt,
  broadcast,
  currentFees,
  type Fees,
  gweiText,
  lastFees,
  raisedFees,
  transactionOf,
  waitForOutcome,
} from "./transactions/send.ts";

export interface PendingArguments {
  readonly resend?: boolean;
  readonly bump?: boolean;
  readonly cancel?: boolean;
  readonly execute?: boolean;
  readonly yes?: boolean;
}

type Way = "resend" | "bump" | "cancel";

/** An empty transfer, with room for an account that has code. */
const CANCEL_GAS_LIMIT = 60_000n;

/** @returns the exit code; 3 while there is no outcome */
export async function pending(world: AdminContext, args: PendingArguments): Promise<ExitCode> {
  return await withSession(world, async (session) => {
    const way = wayOf(args);
    const urgent: Session = { ...session, records: session.records.ofPause() };
    const ofPause = await reportOne(urgent);
    const other = await reportOne(session);
    const found = other ?? ofPause;
    if (found === null) {
      world.print("No transaction is pending.");
      return EXIT.ok;
    }
    const its = other === null ? urgent : session;
    await show(its, found);
    if (way === null) {
      suggest(world, found === ofPause);
      return EXIT.pending;
    }
    return await act(its, found, way, args);
  });
}

/** @throws AdminError `usage` */
function wayOf({ resend, bump, cancel, execute }: PendingArguments): Way | null {
  const ways = (Object.entries({ resend, bump, cancel }) as [Way, boolean | undefined][])
    .filter(([, wanted]) => wanted)
    .map(([way]) => way);
  if (ways.length > 1) throw new AdminError("usage", "Use only one of --resend, --bump and --cancel.");
  if (execute && ways.length === 0)
    throw new AdminError("usage", "--execute needs --resend, --bump or --cancel: it says what to send.");
  return ways[0] ?? null;
}

async function show({ world, connection: { provider } }: Session, found: Pending): Promise<void> {
  const [mined, known, { gasPrice }] = await upstream("account", () =>
    Promise.all([
      provider.getTransactionCount(found.from, "latest"),
      provider.getTransactionCount(found.from, "pending"),
      provider.getFeeData(),
    ]),
  );
  if (found.reason !== null) world.print(`Reason   ${found.reason}`);
  world.print(`By       ${found.actor}`);
  for (const { hash, sentAt, maxFeePerGas } of found.attempts)
    world.print(
      `Sent     ${ago(world.now() - sentAt)}: ${hash ?? "no hash"}, at most ${gweiText(BigInt(maxFeePerGas))}`,
    );
  if (gasPrice !== null) world.print(`Market   ${gweiText(gasPrice)} now`);
  world.print(`Account  next nonce ${mined}, or ${known} after what the node still has`);
  if (mined < found.nonce)
    world.print(
      `WARNING  nonces ${mined} to ${found.nonce - 1} of the account are missing: nothing is mined before they are`,
    );
  world.print("");
}

function suggest(world: AdminContext, isPause: boolean): void {
  if (isPause) world.print("guard pause continues with it, at a higher fee.");
  world.print(
    "--resend sends it to the node again, --bump offers more for the same nonce, --cancel uses the",
  );
  world.print("nonce up with an empty transaction. Each is a dry run until --execute.");
}

async function act(
  session: Session,
  found: Pending,
  way: Way,
  { execute = false, yes = false }: PendingArguments,
): Promise<ExitCode> {
  const { world, connection } = session;
  const raw = found.attempts.at(-1)?.raw ?? null;
  if (way === "resend" && raw === null)
    throw new AdminError("refused", "The signer kept the signed transaction: --bump signs it again.");
  const fees = raisedFees(lastFees(found), await currentFees(session));
  world.print(lineOf(way, found, fees));
  if (!execute) {
    world.print("Dry run: nothing was sent. --execute sends.");
    return EXIT.pending;
  }
  await assertConfirmed(session, yes, `Do it on chain ${connection.chainId}?`);
  const entry = await asUnderWay(session, async () =>
    waitForOutcome(session, await send(session, found, way, fees), null),
  );
  return conclude(world, entry, way);
}

function lineOf(way: Way, { line, nonce, attempts }: Pending, fees: Fees): string {
  const price = `${gweiText(fees.maxFeePerGas)} at most`;
  if (way === "resend") return `Send ${attempts.at(-1)?.hash} to the node again: ${line}.`;
  return way === "bump"
    ? `Sign it again with nonce ${nonce} for ${price}: ${line}.`
    : `Use nonce ${nonce} up with an empty transaction for ${price}, so that this never happens: ${line}.`;
}

async function send(session: Session, found: Pending, way: Way, fees: Fees): Promise<Pending> {
  const { world, connection, records } = session;
  if (way === "resend") {
    await broadcast(connection.provider, found.attempts.at(-1)!.raw as string);
    return found;
  }
  const account = await accountOf(session, found.from);
  if (way === "bump") {
    const bumped = await attempt(session, account, found, transactionOf(found, account, fees));
    world.print(`sent       ${bumped.attempts.at(-1)?.hash}`);
    return bumped;
  }
  const empty: CallTransaction = {
    ...transactionOf(found, account, fees),
    to: account.address,
    data: "0x",
    gasLimit: CANCEL_GAS_LIMIT,
  };
  // Not an attempt of the transaction: once it is mined, the transaction counts as replaced.
  world.print(`sent       ${await account.send(empty)}`);
  return (await records.readPending()) ?? found;
}

/** @throws AdminError `no_permission` */
async function accountOf({ world, connection }: Session, from: string): Promise<AdminAccount> {
  const accounts = await openAccounts(world, connection);
  const account = accounts.find(({ address }) => address === from);
  if (account === undefined)
    throw new AdminError(
      "no_permission",
      `Only ${from} can sign for its nonce, and the network "${connection.networkName}" does not have its key.`,
    );
  return account;
}

function conclude(world: AdminContext, entry: HistoryEntry, way: Way): ExitCode {
  if (way === "cancel" && entry.outcome === "replaced") {
    world.print(`Cancelled: ${entry.line}. It can never be mined; the history says "replaced".`);
    return EXIT.ok;
  }
  if (way === "cancel")
    world.print(`Too late to cancel: it was ${entry.outcome} in block ${entry.block}: ${entry.line}.`);
  assertAsSent(entry);
  world.print(`confirmed  block ${entry.block}: ${entry.line}; the history has it.`);
  return way === "cancel" ? EXIT.failed : EXIT.ok;
}

function ago(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 120) return `${seconds} s ago`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min ago` : `${Math.round(seconds / 3_600)} h ago`;
}
