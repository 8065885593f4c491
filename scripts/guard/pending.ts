/** `assay guard pending`: what became of a transaction that no run saw to its end, and three ways to bring it to one. */
import { UpstreamUnavailable } from "../../chain/chainErrors.ts";
import { upstream } from "../../chain/rpc.ts";
import { type AdminAccount, type CallTransaction, openAccounts } from "../admin/accounts.ts";
import type { Pending } from "../admin/pending.ts";
import type { HistoryEntry } from "../admin/records.ts";
import { assertConfirmed, type Session, withSession } from "../admin/session.ts";
import { ADMIN_OPTIONS, adminWorld } from "../admin/world.ts";
import { command } from "../command.ts";
import type { World } from "../console.ts";
import { EXIT, Refused } from "../errors.ts";
import { JSON_OPTION, jsonText } from "../json.ts";
import { SEND_OPTIONS, type SendGiven } from "../plan/options.ts";
import {
  attempt,
  broadcast,
  currentFees,
  type Fees,
  gweiText,
  lastFees,
  raisedFees,
  transactionOf,
} from "../sending/attempt.ts";
import { assertAsSent, pendingNow, reportOne, settled } from "../sending/outcome.ts";
import { STEADY, URGENT } from "../sending/paces.ts";
import { underWay } from "../sending/send.ts";
import { ageText } from "../typed.ts";

const { execute, yes } = SEND_OPTIONS;
const OPTIONS = { ...ADMIN_OPTIONS, execute, yes };

export const showPending = command({
  summary: "Show a transaction that no run saw finish",
  options: { ...ADMIN_OPTIONS, ...JSON_OPTION },
  notes: ["Exit code 3 while it has no outcome."],
  run: ({ json, ...given }, world) =>
    json
      ? withSession(adminWorld(world, given), showJson)
      : overPending(given, world, async ({ world: { out } }, found, isUrgent) => {
          out(
            isUrgent
              ? "assay guard pause continues with it, at a higher fee."
              : `Running its command again ("${found.command}") continues with it.`,
          );
          out(
            "assay guard pending resend sends it to the node again, bump offers more for the same nonce, and",
          );
          out("cancel uses the nonce up with an empty transaction. Each is a dry run until --execute.");
          return EXIT.pending;
        }),
});

/** What each pace has under way, or had, with its outcome. */
async function showJson(session: Session): Promise<number> {
  const all = [];
  for (const pace of [URGENT, STEADY]) {
    const found = await pendingNow(session, pace);
    if (found === null) continue;
    const { pending, outcome, entry } = found;
    const { command: typed, from, nonce, reason, actor } = pending;
    const { line, to } = pending.call;
    const attempts = pending.attempts.map(({ raw: _, ...each }) => each);
    all.push({
      command: typed,
      line,
      from,
      to,
      nonce,
      reason,
      actor,
      attempts,
      state: entry?.outcome ?? outcome.kind,
    });
  }
  session.world.out(jsonText(all));
  return all.some(({ state }) => state === "waiting" || state === "unknown") ? EXIT.pending : EXIT.ok;
}

export const resendPending = command({
  summary: "Send it to the node again",
  options: OPTIONS,
  run: (given, world) =>
    overPending(given, world, async (session, found) => {
      const last = found.attempts.at(-1);
      if (last?.raw == null)
        throw new Refused("The signer kept the signed transaction: bump signs it again.");
      const { raw } = last;
      const isGo = await confirmed(
        session,
        given,
        `Send ${last.hash} to the node again: ${found.call.line}.`,
      );
      if (!isGo) return EXIT.pending;
      await broadcast(session.connection.provider, raw);
      return concluded(session.world, await settled(session, found, STEADY));
    }),
});

export const bumpPending = command({
  summary: "Offer more for the same nonce",
  options: OPTIONS,
  run: (given, world) =>
    overPending(given, world, async (session, found) => {
      const fees = await feesFor(session, found);
      const line = `Sign it again with nonce ${found.nonce} for ${priceText(fees)}: ${found.call.line}.`;
      if (!(await confirmed(session, given, line))) return EXIT.pending;
      const account = await accountOf(session, found.from);
      const bumped = await attempt(session, account, found, fees);
      session.world.out(`sent       ${bumped.attempts.at(-1)?.hash}`);
      return concluded(session.world, await settled(session, bumped, STEADY));
    }),
});

/** An empty transfer, with room for an account that has code. */
const CANCEL_GAS_LIMIT = 60_000n;

export const cancelPending = command({
  summary: "Use its nonce up with an empty transaction, so that it never happens",
  options: OPTIONS,
  run: (given, world) =>
    overPending(given, world, async (session, found) => {
      const fees = await feesFor(session, found);
      const line = `Use nonce ${found.nonce} up with an empty transaction for ${priceText(fees)}, so that this never happens: ${found.call.line}.`;
      if (!(await confirmed(session, given, line))) return EXIT.pending;
      const account = await accountOf(session, found.from);
      const empty: CallTransaction = {
        ...transactionOf(found, fees),
        to: account.address,
        data: "0x",
        gasLimit: CANCEL_GAS_LIMIT,
      };
      // Not an attempt of the transaction: once it is mined, the transaction counts as replaced.
      session.world.out(`sent       ${await account.send(empty)}`);
      const entry = await settled(session, (await session.records.readPending()) ?? found, STEADY);
      if (entry.outcome === "replaced") {
        session.world.out(`Cancelled: ${entry.line}. It can never be mined; the history says "replaced".`);
        return EXIT.ok;
      }
      session.world.out(
        `Too late to cancel: it was ${entry.outcome} in block ${entry.block}: ${entry.line}.`,
      );
      concluded(session.world, entry);
      return EXIT.failed;
    }),
});

/** Reports both paces, and works on the steady one, or else on the urgent one. @returns the exit code */
async function overPending(
  given: SendGiven,
  world: World,
  work: (session: Session, found: Pending, isUrgent: boolean) => Promise<number>,
): Promise<number> {
  return await withSession(adminWorld(world, given), async (session) => {
    const urgent = await reportOne(session, URGENT);
    const steady = await reportOne(session, STEADY);
    const found = steady ?? urgent;
    if (found === null) {
      session.world.out("No transaction is pending.");
      return EXIT.ok;
    }
    const its: Session = { ...session, records: session.records.at(steady === null ? URGENT : STEADY) };
    await show(its, found);
    try {
      return await work(its, found, steady === null);
    } catch (error) {
      throw error instanceof UpstreamUnavailable ? underWay(error, found) : error;
    }
  });
}

async function show({ world, connection: { provider } }: Session, found: Pending): Promise<void> {
  const [mined, known, { gasPrice }] = await upstream("account", () =>
    Promise.all([
      provider.getTransactionCount(found.from, "latest"),
      provider.getTransactionCount(found.from, "pending"),
      provider.getFeeData(),
    ]),
  );
  if (found.reason !== null) world.out(`Reason   ${found.reason}`);
  world.out(`By       ${found.actor}`);
  if (found.call.kind === "plain") {
    world.out(`To       ${found.call.to}`);
    world.out(`Data     ${found.call.data}`);
  }
  for (const { hash, sentAt, maxFeePerGas } of found.attempts) {
    const age = ageText(Math.max(0, Math.round((world.now() - sentAt) / 1_000)));
    world.out(`Sent     ${age} ago: ${hash ?? "no hash"}, at most ${gweiText(BigInt(maxFeePerGas))}`);
  }
  if (gasPrice !== null) world.out(`Market   ${gweiText(gasPrice)} now`);
  world.out(`Account  next nonce ${mined}, or ${known} after what the node still has`);
  if (mined < found.nonce)
    world.out(
      `WARNING  nonces ${mined} to ${found.nonce - 1} of the account are missing: nothing is mined before they are`,
    );
  world.out("");
}

/** @returns whether to go on. @throws Refused */
async function confirmed(session: Session, given: SendGiven, line: string): Promise<boolean> {
  session.world.out(line);
  if (!given.execute) {
    session.world.out("Dry run: nothing was sent. --execute sends.");
    return false;
  }
  await assertConfirmed(session, given.yes, `Do it on chain ${session.connection.chainId}?`);
  return true;
}

async function feesFor({ connection }: Session, found: Pending): Promise<Fees> {
  const market = await currentFees(connection.provider);
  return raisedFees(lastFees(found) ?? market, market);
}

const priceText = ({ maxFeePerGas }: Fees) => `${gweiText(maxFeePerGas)} at most`;

/** @throws Refused */
async function accountOf({ world, connection }: Session, from: string): Promise<AdminAccount> {
  const accounts = await openAccounts(world, connection);
  const account = accounts.find(({ address }) => address === from);
  if (account === undefined)
    throw new Refused(
      `Only ${from} can sign for its nonce, and the network "${connection.networkName}" does not have its key.`,
    );
  return account;
}

/** @throws Reverted, Refused */
function concluded(world: World, entry: HistoryEntry): number {
  assertAsSent(entry);
  world.out(`confirmed  block ${entry.block}: ${entry.line}; the history has it.`);
  return EXIT.ok;
}
