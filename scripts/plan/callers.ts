/** Who may make calls on the guard, and which of these accounts is here to sign. */
import { type AdminCall, named } from "../../chain/guard/adminCalls.ts";
import { ROLES, rolesOf } from "../../chain/guard/manager.ts";
import type { GuardRoles } from "../../chain/guard/roles.ts";
import { type AdminAccount, openAccounts } from "../admin/accounts.ts";
import { isContract } from "../admin/holders.ts";
import { readAccess } from "../admin/reading.ts";
import type { Session } from "../admin/session.ts";
import { CommandError } from "../errors.ts";

/** The account that would act, without reading any key. @throws CommandError `no_permission` */
export async function callerFor(
  session: Session,
  roles: GuardRoles,
  calls: readonly AdminCall[],
  from: string | undefined,
): Promise<string> {
  if (from !== undefined) {
    if ((await powerOf(session, roles, from, calls)) !== null) return from;
    throw new CommandError("no_permission", `${from} may not do this: ${await needed(session, calls)}.`);
  }
  const [first] = await holdersOf(session, calls);
  if (first === undefined)
    throw new CommandError("no_permission", `Nobody may do this: ${await needed(session, calls)}.`);
  return first;
}

/**
 * The accounts of this network that may act, the least powerful first.
 * @throws CommandError `no_permission`, `no_account`
 */
export async function accountsFor(
  session: Session,
  roles: GuardRoles,
  calls: readonly AdminCall[],
  from?: string,
): Promise<AdminAccount[]> {
  const { world, connection } = session;
  const accounts = await openAccounts(world, connection);
  const wanted = accounts.filter(({ address }) => from === undefined || address === from);
  const powers = await Promise.all(wanted.map(({ address }) => powerOf(session, roles, address, calls)));
  const able = wanted
    .map((account, index) => ({ account, power: powers[index] ?? null }))
    .filter(({ power }) => power !== null)
    .sort((a, b) => a.power! - b.power!);
  if (able.length > 0) return able.map(({ account }) => account);
  const who = await needed(session, calls);
  if (await hasContract(session, await holdersOf(session, calls)))
    throw new CommandError(
      "no_permission",
      `${who}, which is a contract: write a file for it with --safe <file>.`,
    );
  const have =
    accounts.length > 3 ? `${accounts.length} others` : accounts.map(({ address }) => address).join(", ");
  throw new CommandError(
    "no_permission",
    `${who}, and the network "${connection.networkName}" has the keys of ${have}.`,
  );
}

/** How many roles the account holds; null where they do not suffice for every one of the calls. */
async function powerOf(
  { connection: { provider } }: Session,
  { manager, block }: GuardRoles,
  account: string,
  calls: readonly AdminCall[],
): Promise<number | null> {
  const held = await rolesOf(provider, manager, account, block);
  const may = ({ only, roles }: AdminCall) =>
    only === undefined ? roles.some((role) => held.has(role)) : only === account;
  return calls.every(may) ? held.size : null;
}

async function hasContract({ connection }: Session, holders: readonly string[]): Promise<boolean> {
  for (const holder of holders) if (await isContract(connection.provider, holder)) return true;
  return false;
}

/** Those whose roles suffice for every one of the calls, by the manager's events; the least powerful first. */
async function holdersOf(session: Session, calls: readonly AdminCall[]): Promise<string[]> {
  const { holders } = await readAccess(session);
  const power = new Map<string, number>();
  for (const { account } of ROLES.flatMap((role) => holders[role]))
    power.set(account, (power.get(account) ?? 0) + 1);
  const isAmong = (members: readonly { account: string }[], account: string) =>
    members.some((member) => member.account === account);
  const may = (account: string, { only, roles }: AdminCall) =>
    only === undefined ? roles.some((role) => isAmong(holders[role], account)) : only === account;
  return [...power.keys()]
    .filter((account) => calls.every((call) => may(account, call)))
    .sort((a, b) => power.get(a)! - power.get(b)!);
}

/** `allowRoute is for an operator (0x…)` */
async function needed(session: Session, calls: readonly AdminCall[]): Promise<string> {
  const names = [...new Set(calls.map(({ name }) => name))].join(", ");
  const { holders } = await readAccess(session);
  const holdersText = (role: (typeof ROLES)[number]) => {
    const accounts = holders[role].map(({ account }) => account).join(", ");
    return `${named(role)} (${accounts === "" ? "there is none" : accounts})`;
  };
  const who = new Set(
    calls.flatMap(({ only, roles }) => (only === undefined ? roles.map(holdersText) : [only])),
  );
  return `${names} is for ${[...who].join(" or ")}`;
}
