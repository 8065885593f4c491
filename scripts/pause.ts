/** `guard pause`: the shortest way to stop all trading. */

import { pauseCall } from "../chain/guard/adminCalls.ts";
import { type GuardRoles, readRoles } from "../chain/guard/roles.ts";
import { upstream } from "../chain/rpc.ts";
import type { AdminAccount } from "./accounts/accounts.ts";
import { AdminError, EXIT, type ExitCode } from "./adminErrors.ts";
import type { HistoryEntry } from "./records/history.ts";
import { bestEffort } from "./records/records.ts";
import type { AdminContext } from "./session/context.ts";
import { inWords, type Session, staleWarning, withSession } from "./session/session.ts";
import { type ActArguments, accountsFor, actOptions, carryOut } from "./transactions/carryOut.ts";
import { reportOne } from "./transactions/outcome.ts";
import { headingLines } from "./transactions/transactionLines.ts";
import { sendUrgently } from "./transactions/urgent.ts";

/** How long the command tries before it leaves the rest to the next run. */
const TRY_FOR_MS = 3 * 60_000;
/** A port where nothing listens is more likely the wrong one than slow. */
const TRY_REFUSED_FOR_MS = 10_000;
const TELL_EVERY_MS = 15_000;
const COMMAND = "guard pause";
/** One question to the RPC may take so long at the most: asking again helps sooner than waiting. */
const RPC_TIMEOUT_MS = 5_000;

/**
 * Needs the guard's address and the pauser's or the admin's key, and neither a desired state nor a database.
 * Never asks a question: with `--execute` it sends at once.
 * @returns the exit code; 0 also when the guard is paused already, by an RPC that is not behind
 */
export async function pause(given: AdminContext, args: ActArguments): Promise<ExitCode> {
  const world = { ...given, rpcTimeoutMs: Math.min(given.rpcTimeoutMs, RPC_TIMEOUT_MS) };
  const started = world.now();
  // Counted from the first failure and from the sending: a password may be typed slowly before.
  let failing: number | null = null;
  let told = Number.NEGATIVE_INFINITY;
  const patience = {
    again: (_failures: number, isRefused: boolean) =>
      world.now() - (failing ?? world.now()) < (isRefused ? TRY_REFUSED_FOR_MS : TRY_FOR_MS),
    onFailure: () => {
      failing ??= world.now();
      if (world.now() - told < TELL_EVERY_MS) return;
      told = world.now();
      world.printError(`The RPC is slow or unreachable; still trying (${seconds(world.now() - started)} s)…`);
    },
  };
  return await inWords(world, async () => {
    const options = actOptions(args);
    if ((options.reason ?? "").trim() === "")
      throw new AdminError(
        "usage",
        `A pause needs a reason, for the history: --reason "key leak suspected".`,
      );
    return await withSession(
      world,
      async (session) => {
        const { records, hasLost } = bestEffort(session.records.ofPause(), (line) => world.printError(line));
        const urgent: Session = { ...session, records };
        await reportEarlier(urgent);
        const roles = await readRoles(session.connection.provider, session.place.guard);
        if (roles.paused) {
          const stale = staleWarning(session, roles);
          if (stale !== null) {
            world.print(stale);
            world.print(
              `It was PAUSED in block ${roles.block}; whether it still is, is not known here. Nothing was sent.`,
            );
            return EXIT.failed;
          }
          world.print(`PAUSED already: no trade executes (block ${roles.block}). Nothing was sent.`);
          return EXIT.ok;
        }
        if (!options.execute) {
          const code = await carryOut(session, roles, [pauseCall(roles)], options, COMMAND);
          world.print("NOT paused: trading continues.");
          return code;
        }
        const account = await pauserAccount(session, roles, options.from);
        const deadline = world.now() + TRY_FOR_MS;
        return await stop(urgent, roles, {
          account,
          reason: options.reason ?? "",
          started,
          deadline,
          hasLost,
        });
      },
      { patience, urgent: true },
    );
  });
}

/** What an earlier pause left behind must not stop this one. @throws UpstreamUnavailable */
async function reportEarlier(session: Session): Promise<void> {
  try {
    await reportOne(session);
  } catch (error) {
    if (!(error instanceof AdminError) || error.code !== "unreadable_file") throw error;
    const aside = await session.records.setPendingAside();
    session.world.printError(`WARNING  ${error.message} It is now in ${aside}.`);
  }
}

interface Stop {
  readonly account: Awaited<ReturnType<typeof pauserAccount>>;
  readonly reason: string;
  readonly started: number;
  readonly deadline: number;
  /** Whether the history lacks something. */
  hasLost(): boolean;
}

async function stop(
  session: Session,
  roles: GuardRoles,
  { account, reason, started, deadline, hasLost }: Stop,
): Promise<ExitCode> {
  const { world, records } = session;
  const heading = headingLines(session, roles, account.address, "a pauser");
  for (const line of [...heading, `Reason   ${reason}`, ""]) world.print(line);
  const say = (line: string) => world.print(`${elapsed(world, started)}  ${line}`);
  const call = pauseCall(roles);
  const intent = { command: COMMAND, reason };
  let entry = await sendUrgently(session, { account, guardAt: roles, call, intent, deadline, say });
  // Another transaction took the nonce; if that was no pause, this one takes the next.
  while (!(await isDone(session, entry)) && entry.outcome === "replaced")
    entry = await sendUrgently(session, { account, guardAt: roles, call, intent, deadline, say });
  tell(entry, say);
  if (!(await isDone(session, entry)))
    throw new AdminError("reverted", `NOT paused: the transaction ${entry.transaction} changed nothing.`);
  world.print("");
  const kept = hasLost() ? "no file has it" : `${records.path("history.jsonl")} has it`;
  world.print(`PAUSED: no trade executes. It took ${seconds(world.now() - started)} s; ${kept}.`);
  world.print("Next: docs/run/README.md#runbooks. A leaked key: guard rotate-signer.");
  return EXIT.ok;
}

/**
 * A pauser before an admin; one with an empty purse only when there is no other.
 * @param from the one account that is wanted
 * @throws AdminError `no_permission`, `no_account`
 */
async function pauserAccount(
  session: Session,
  roles: GuardRoles,
  from: string | undefined,
): Promise<AdminAccount> {
  const { provider } = session.connection;
  const able = await accountsFor(session, roles, [pauseCall(roles)], from);
  for (const account of able)
    if ((await upstream("balance", () => provider.getBalance(account.address))) > 0n) return account;
  return able[0]!;
}

function tell(entry: HistoryEntry, say: (line: string) => void): void {
  if (entry.outcome === "replaced") say("another transaction of this account took the nonce");
  else say(`${entry.outcome}  block ${entry.block}, gas ${Number(entry.gasUsed).toLocaleString("en-US")}`);
}

/** By what was read back at its own block, where it has one: another node may lag behind. */
async function isDone({ connection, place }: Session, entry: HistoryEntry): Promise<boolean> {
  if (entry.outcome === "confirmed") return entry.readBack.every(({ asSent }) => asSent);
  return (await readRoles(connection.provider, place.guard)).paused;
}

const seconds = (ms: number): string => (ms / 1000).toFixed(1);

function elapsed(world: AdminContext, started: number): string {
  return `+${seconds(world.now() - started)} s`.padStart(9);
}
