/**
 * `assay guard pause`: the shortest way to stop all trading. It needs the guard's address and the pauser's or the admin's
 * key, and neither a desired state nor a database. It never asks for a yes: with `--execute` it sends at once.
 */

import { pauseCall } from "../../chain/guard/adminCalls.ts";
import { type GuardRoles, readRoles } from "../../chain/guard/roles.ts";
import { upstream } from "../../chain/rpc.ts";
import type { AdminAccount } from "../admin/accounts.ts";
import { bestEffort, type HistoryEntry } from "../admin/records.ts";
import { type Session, staleWarning, withSession } from "../admin/session.ts";
import { type AdminWorld, adminWorld } from "../admin/world.ts";
import { command } from "../command.ts";
import type { World } from "../console.ts";
import { EXIT, Reverted, Unusable, UsageError } from "../errors.ts";
import { accountsFor, carryOut } from "../plan/byRole.ts";
import { ACT_OPTIONS, assertOneWay } from "../plan/options.ts";
import { headingLines } from "../plan/plan.ts";
import { callOfGuard } from "../sending/call.ts";
import { reportOne } from "../sending/outcome.ts";
import { URGENT } from "../sending/paces.ts";
import { send } from "../sending/send.ts";

/** A port where nothing listens is more likely the wrong one than slow. */
const TRY_REFUSED_FOR_MS = 10_000;
const TELL_EVERY_MS = 15_000;
/** One question to the RPC may take so long at the most: asking again helps sooner than waiting. */
const RPC_TIMEOUT_MS = 5_000;
/** Many times what setting one flag costs. */
const GAS_LIMIT = 150_000n;

export const pause = command({
  summary: "Stop all trading as fast as the chain allows; needs --reason, and --execute to take effect",
  options: ACT_OPTIONS,
  notes: ["Exit code 0 also when the guard is paused already, by an RPC that is not behind."],
  run: async (given, outside) => {
    assertOneWay(given);
    const reason = (given.reason ?? "").trim();
    if (reason === "")
      throw new UsageError(`A pause needs a reason, for the history: --reason "key leak suspected".`);
    const own = adminWorld(outside, given);
    const world = { ...own, rpcTimeoutMs: Math.min(own.rpcTimeoutMs, RPC_TIMEOUT_MS) };
    const started = world.now();
    const options = { patience: patienceFrom(world, started), urgent: true };
    return await withSession(
      world,
      async (session) => {
        const { records, hasLost } = bestEffort(session.records, (line) => world.err(line));
        const trying: Session = { ...session, records };
        await reportEarlier(trying);
        const roles = await readRoles(session.connection.provider, session.place.guard);
        if (roles.paused) return already(session, roles);
        if (!given.execute) {
          await carryOut(session, roles, [pauseCall(roles)], given, "guard pause");
          world.out("NOT paused: trading continues.");
          return EXIT.ok;
        }
        const account = await pauserAccount(session, roles, given.from);
        await account.unlock();
        await stop(trying, roles, account, reason, started);
        world.out("");
        const kept = hasLost() ? "no file has it" : `${records.path("history.jsonl")} has it`;
        world.out(`PAUSED: no trade executes. It took ${seconds(world.now() - started)} s; ${kept}.`);
        world.out(
          "Next: docs/run/runbooks.md. A leaked key: assay guard rotate-signer. The end: assay guard unpause.",
        );
        return EXIT.ok;
      },
      options,
    );
  },
});

/** With the RPC, counted from its first failure: a password may be typed slowly before. */
function patienceFrom(world: AdminWorld, started: number) {
  let failing: number | null = null;
  let told = Number.NEGATIVE_INFINITY;
  return {
    again: (_failures: number, isRefused: boolean) =>
      world.now() - (failing ?? world.now()) < (isRefused ? TRY_REFUSED_FOR_MS : URGENT.patienceMs),
    onFailure: () => {
      failing ??= world.now();
      if (world.now() - told < TELL_EVERY_MS) return;
      told = world.now();
      world.err(`The RPC is slow or unreachable; still trying (${seconds(world.now() - started)} s)…`);
    },
  };
}

/** What an earlier pause left behind must not stop this one. @throws UpstreamUnavailable */
async function reportEarlier(session: Session): Promise<void> {
  try {
    await reportOne(session, URGENT);
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    const aside = await session.records.at(URGENT).setPendingAside();
    session.world.err(`WARNING  ${error.message} It is now in ${aside}.`);
  }
}

function already(session: Session, roles: GuardRoles): number {
  const { world } = session;
  const stale = staleWarning(session, roles);
  if (stale === null) {
    world.out(`PAUSED already: no trade executes (block ${roles.block}). Nothing was sent.`);
    return EXIT.ok;
  }
  world.out(stale);
  world.out(
    `It was PAUSED in block ${roles.block}; whether it still is, is not known here. Nothing was sent.`,
  );
  return EXIT.failed;
}

/** @throws Reverted */
async function stop(
  session: Session,
  roles: GuardRoles,
  account: AdminAccount,
  reason: string,
  started: number,
): Promise<void> {
  const { world } = session;
  const heading = headingLines(session, {
    block: roles.block,
    caller: account.address,
    callerIs: "a pauser",
  });
  for (const line of [...heading, `Reason   ${reason}`, ""]) world.out(line);
  const say = (line: string) => world.out(`${elapsed(world, started)}  ${line}`);
  const sending = { session, account, intent: { command: "guard pause", reason }, say };
  const call = callOfGuard(pauseCall(roles), roles, GAS_LIMIT);
  let entry = await send(sending, call, URGENT);
  // Another transaction took the nonce; if that was no pause, this one takes the next.
  while (!(await isDone(session, entry)) && entry.outcome === "replaced")
    entry = await send(sending, call, URGENT);
  say(endText(entry));
  if (!(await isDone(session, entry)))
    throw new Reverted(`NOT paused: the transaction ${entry.transaction} changed nothing.`);
}

/**
 * A pauser before an admin; one with an empty purse only when there is no other.
 * @param from the one account that is wanted
 * @throws Refused
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

function endText(entry: HistoryEntry): string {
  if (entry.outcome === "replaced") return "another transaction of this account took the nonce";
  return `${entry.outcome}  block ${entry.block}, gas ${Number(entry.gasUsed).toLocaleString("en-US")}`;
}

/** By what was read back at its own block, where it has one: another node may lag behind. */
async function isDone({ connection, place }: Session, entry: HistoryEntry): Promise<boolean> {
  if (entry.outcome === "confirmed") return entry.readBack.every(({ asSent }) => asSent);
  return (await readRoles(connection.provider, place.guard)).paused;
}

const seconds = (ms: number): string => (ms / 1000).toFixed(1);

const elapsed = (world: Pick<World, "now">, started: number): string =>
  `+${seconds(world.now() - started)} s`.padStart(9);
