/** The guard's admin calls as a file for the Safe's Transaction Builder (`attestor/evm/safeFile.ts`). */
import { type SafeFile, safeFileOf, safeTransaction } from "../../attestor/evm/safeFile.ts";
import { type AdminCall, contractOf } from "../../chain/guard/adminCalls.ts";
import type { GuardRoles } from "../../chain/guard/roles.ts";
import type { Session } from "../admin/session.ts";

/** @param safe who has to send the batch: the holder of the role @param name what was typed */
export function safeFile(
  { connection, world }: Pick<Session, "world" | "connection">,
  place: Pick<GuardRoles, "guard" | "manager">,
  safe: string,
  calls: readonly AdminCall[],
  name: string,
): SafeFile {
  return safeFileOf({
    chainId: connection.chainId,
    safe,
    name,
    description: calls.map(({ line }) => line).join("; "),
    transactions: calls.map((call) => {
      const { address, abi } = contractOf(call.name, place);
      return safeTransaction(address, abi.getFunction(call.name)!, call.args);
    }),
    now: world.now(),
  });
}
