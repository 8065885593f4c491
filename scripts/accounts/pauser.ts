/** The account that pauses: whichever of those that may has a key here and can pay for the gas. */
import { getAddress } from "ethers";
import { pauseCall } from "../../chain/guard/adminCalls.ts";
import type { GuardRoles } from "../../chain/guard/roles.ts";
import { upstream } from "../../chain/rpc.ts";
import type { Session } from "../session/session.ts";
import { accountFor } from "../transactions/carryOut.ts";
import { type AdminAccount, openAccounts } from "./accounts.ts";

/**
 * The pauser before the admin; one with an empty purse only when there is no other.
 * @param from the one account that is wanted
 * @throws AdminError `no_permission`, `no_account`
 */
export async function pauserAccount(
  session: Session,
  roles: GuardRoles,
  from: string | undefined,
): Promise<AdminAccount> {
  const { world, connection } = session;
  const holders = [roles.pauser, roles.admin].filter(
    (holder) => holder !== null && (from === undefined || holder === getAddress(from)),
  );
  const accounts = await openAccounts(world, connection);
  const able = holders.flatMap((holder) => accounts.filter(({ address }) => address === holder));
  const [first] = able;
  // It says who may, and what is here instead.
  if (first === undefined) return await accountFor(session, roles, [pauseCall(roles)], from);
  for (const account of able)
    if ((await upstream("balance", () => connection.provider.getBalance(account.address))) > 0n)
      return account;
  return first;
}
