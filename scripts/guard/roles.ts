/** `assay guard grant-role` and `revoke-role`: admins, who also operate and pause, and further pausers. */
import { type AdminCall, grantRoleCall, revokeRoleCall } from "../../chain/guard/adminCalls.ts";
import { ROLES, type Role, rolesOf } from "../../chain/guard/manager.ts";
import type { GuardRoles } from "../../chain/guard/roles.ts";
import { openAccounts } from "../admin/accounts.ts";
import { assertControlled } from "../admin/holders.ts";
import { readAccess } from "../admin/reading.ts";
import { addressFrom, type Session } from "../admin/session.ts";
import { command, text } from "../command.ts";
import { CommandError, UsageError } from "../errors.ts";
import { actOnGuard } from "../plan/carryOut.ts";
import { ACT_OPTIONS } from "../plan/options.ts";

const ROLE = {
  role: { words: "admin or pauser" },
  account: { words: "the account's address" },
};

/** A new admin's calls wait as long as those of the admins until now. */
export const grantRole = command({
  summary: "Make an account an admin or a pauser",
  positionals: ROLE,
  options: {
    ...ACT_OPTIONS,
    adminProof: text("SIGNATURE", "by which a new admin without code shows its key"),
  },
  run: (given, world) =>
    actOnGuard(world, given, "guard grant-role", async (session, state) => {
      const account = addressFrom(given.account, "The account");
      const granted = rolesFrom(given.role);
      const held = await rolesOf(session.connection.provider, state.manager, account, state.block);
      if (given.role === "admin") await assertSuccessor(session, state, account, given.adminProof);
      const delay = await delayOf(session);
      return granted
        .filter((role) => !held.has(role))
        .map((role) => grantRoleCall(role, account, role === "pauser" ? 0 : delay));
    }),
});

export const revokeRole = command({
  summary: "Take the role of an admin or a pauser from an account",
  positionals: ROLE,
  options: ACT_OPTIONS,
  run: (given, world) =>
    actOnGuard(world, given, "guard revoke-role", async (session, state) => {
      const account = addressFrom(given.account, "The account");
      const held = await rolesOf(session.connection.provider, state.manager, account, state.block);
      return await revocations(session, account, rolesFrom(given.role), held);
    }),
});

/** An admin's roles, the power over roles last. @throws UsageError */
function rolesFrom(text: string): readonly Role[] {
  if (text === "pauser") return ["pauser"];
  if (text === "admin") return [...ROLES].reverse();
  throw new UsageError("The role must be admin or pauser.");
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
    throw new CommandError("refused", `${account} is an admin, who can always pause: revoke that role.`);
  if (isAdmin && !holders.admin.some((member) => member.account !== account))
    throw new CommandError("refused", `${account} is the only admin: grant the role to another one first.`);
  return taken.filter((role) => held.has(role)).map((role) => revokeRoleCall(role, account));
}

/** @throws CommandError `refused` */
async function assertSuccessor(
  { connection, place, world }: Session,
  state: GuardRoles,
  successor: string,
  adminProof: string | undefined,
): Promise<void> {
  const refuse = (why: string): never => {
    throw new CommandError("refused", `${successor} cannot become an admin: ${why}.`);
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
