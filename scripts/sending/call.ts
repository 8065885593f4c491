/** A call before it is sent: with what is shown of it. */
import { type AdminCall, contractOf, encodeAdminCall } from "../../chain/guard/adminCalls.ts";
import { describeCall } from "../../chain/guard/events.ts";
import type { GuardRoles } from "../../chain/guard/roles.ts";
import type { SentCall } from "../admin/pending.ts";

export interface Call extends SentCall {
  readonly change: AdminCall["change"];
  /** Function and arguments, in words. */
  readonly decoded: string;
  /** Unused gas is not paid. */
  readonly gasLimit: bigint;
}

/** The estimate holds for the present state; a quarter more for what a block may change in between. */
export const withMargin = (gas: bigint): bigint => (gas * 5n) / 4n;

/** @param gasLimit none where it is tried before */
export function callOfGuard(
  { line, change, name, args, expects }: AdminCall,
  { guard, manager }: Pick<GuardRoles, "guard" | "manager">,
  gasLimit = 0n,
): Call {
  const { to, data } = encodeAdminCall({ name, args }, { guard, manager });
  return {
    kind: "admin",
    to,
    data,
    gasLimit,
    line,
    change,
    decoded: describeCall(contractOf(name, { guard, manager }).abi, name, args),
    name,
    args,
    guard,
    manager,
    creates: null,
    expects,
  };
}
