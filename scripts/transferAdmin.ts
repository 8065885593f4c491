/** `guard transfer-admin`: proposes the next admin, who then has to accept (`acceptAdmin.ts`). */
import { isDevelopmentKey } from "../api/settings/developmentKeys.ts";
import { transferAdminCall } from "../chain/guard/adminCalls.ts";
import type { GuardRoles } from "../chain/guard/roles.ts";
import { upstream } from "../chain/rpc.ts";
import { AdminError, type ExitCode } from "./adminErrors.ts";
import type { AdminContext } from "./session/context.ts";
import { addressFrom, type Session } from "./session/session.ts";
import { type ActArguments, actOnGuard } from "./transactions/carryOut.ts";

export interface TransferArguments extends ActArguments {
  /** The successor, or `none` to withdraw a proposal. */
  readonly newAdmin: string;
}

/** @returns the exit code */
export async function transferAdmin(world: AdminContext, args: TransferArguments): Promise<ExitCode> {
  return await actOnGuard(world, args, "guard transfer-admin", async (session, roles) => {
    const successor = args.newAdmin === "none" ? null : addressFrom(args.newAdmin, "The new admin");
    if (successor !== null) await assertSuccessor(session, roles, successor);
    return successor === roles.pendingAdmin ? [] : [transferAdminCall(roles, successor)];
  });
}

async function assertSuccessor(
  { connection, place, world }: Session,
  roles: GuardRoles,
  successor: string,
): Promise<void> {
  const refuse = (why: string): never => {
    throw new AdminError("refused", `${successor} cannot become the admin: ${why}.`);
  };
  if (successor === roles.admin) refuse("it is the admin");
  if (successor === place.guard || successor === roles.executor)
    refuse("it is one of the guard's own contracts");
  if (successor === roles.signer)
    refuse("it is the attestation key, and whoever judges trades must not choose the routes");
  if (connection.live && isDevelopmentKey(successor)) refuse("everybody has this development key");
  const code = await upstream("code", () => connection.provider.getCode(successor));
  const used = await upstream("nonce", () => connection.provider.getTransactionCount(successor));
  if (code === "0x" && used === 0)
    world.print(`WARNING  ${successor} never sent a transaction. It must accept before anything changes.`);
}
