/** `guard grant-role` and `guard revoke-role`: admins, who also operate and pause, and further pausers. */
import { type AdminCall, grantRoleCall, revokeRoleCall } from "../chain/guard/adminCalls.ts";
import { ROLES, type Role, rolesOf } from "../chain/guard/manager.ts";
import type { GuardRoles } from "../chain/guard/roles.ts";
import { openAccounts } from "./accounts/accounts.ts";
import { assertControlled } from "./accounts/control.ts";
import { AdminError, type ExitCode } from "./adminErrors.ts";
import { readAccess } from "./desired/readView.ts";
import type { AdminContext } from "./session/context.ts";
import { addressFrom, type Session } from "./session/session.ts";
import { type ActArguments, actOnGuard } from "./transactions/carryOut.ts";

export interface RoleArguments extends ActArguments {
  readonly role: string;
  readonly account: string;
  /** Of a new admin without code: see `adminText`. */
  readonly adminProof?: string | undefined;
}

/**
 * A new admin's calls wait as long as those of the admins until now.
 * @returns the exit code
 */
export async function changeRole(
  world: AdminContext,
  args: RoleArguments,
  granted: boolean,
): Promise<ExitCode> {
  const command = `guard ${granted ? "grant" : "revoke"}-role`;
  return await actOnGuard(world, args, command, async (session, state) => {
    const account = addressFrom(args.account, "The account");
    const given = rolesFrom(args.role);
    const { provider } = session.connection;
    const held = await rolesOf(provider, state.manager, account, state.block);
    if (!granted) return await revocations(session, account, given, held);
    if (args.role === "admin") await assertSuccessor(session, state, account, args);
    const missing = given.filter((role) => !held.has(role));
    const delay = await delayOf(session);
    return missing.map((role) => grantRoleCall(role, account, role === "pauser" ? 0 : delay));
  });
}

/** An admin's roles, the power over roles last. @throws AdminError `usage` */
function rolesFrom(text: string): readonly Role[] {
  if (text === "pauser") return ["pauser"];
  if (text === "admin") return [...ROLES].reverse();
  throw new AdminError("usage", "The role must be admin or pauser.");
}

async function delayOf(session: Session): Promise<number> {
  const { holders } = await readAccess(session);
  return Math.max(0, ...[...holders.admin, ...holders.operator].map(({ delay }) => delay));
}

async function revocations(
  session: Session,
  account: string,
  taken: readonly Role[],
  held: ReadonlyMap<Role, number>,
): Promise<AdminCall[]> {
  const { holders } = await readAccess(session);
  const isAdmin = held.has("admin");
  if (isAdmin && !taken.includes("admin"))
    throw new AdminError("refused", `${account} is an admin, who can always pause: revoke that role.`);
  if (isAdmin && !holders.admin.some((member) => member.account !== account))
    throw new AdminError("refused", `${account} is the only admin: grant the role to another one first.`);
  return taken.filter((role) => held.has(role)).map((role) => revokeRoleCall(role, account));
}

/** @throws AdminError `refused` */
async function assertSuccessor(
  { connection, place, world }: Session,
  state: GuardRoles,
  successor: string,
  { adminProof }: RoleArguments,
): Promise<void> {
  const refuse = (why: string): never => {
    throw new AdminError("refused", `${successor} cannot become an admin: ${why}.`);
  };
  if ([place.guard, state.manager, state.executor].includes(successor))
    refuse("it is one of the guard's own contracts");
  if (successor === state.signer)
    refuse("it is the attestation key, and the judge of trades must not choose the routes");
  const own = connection.live ? [] : await openAccounts(world, connection);
  await assertControlled(
    connection,
    successor,
    own.map(({ address }) => address),
    adminProof,
  );
}
