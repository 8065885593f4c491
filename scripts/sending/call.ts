/** A call as it is sent, written down and read back. */
import { type AdminCall, type Expectation, encodeAdminCall } from "../../chain/guard/adminCalls.ts";
import type { GuardRoles } from "../../chain/guard/roles.ts";

export interface Call {
  /** `admin`: of the guard or its manager; `create`: of the CREATE2 deployer; `plain`: of any other contract. */
  readonly kind: "admin" | "create" | "plain";
  readonly to: string;
  readonly data: string;
  /** Unused gas is not paid. */
  readonly gasLimit: bigint;
  /** What it does, for people. */
  readonly line: string;
  /** For the history: the function, or `constructor`. */
  readonly name: string;
  readonly args: readonly (string | boolean)[];
  /** The guard that it is about. */
  readonly guard: string;
  /** Whose events are read, where that is known. */
  readonly manager: string | null;
  /** The contract that is there after it. */
  readonly creates: string | null;
  /** What the guard's views should say after it. */
  readonly expects: readonly Expectation[];
}

/** The estimate holds for the present state; a quarter more for what a block may change in between. */
export const withMargin = (gas: bigint): bigint => (gas * 5n) / 4n;

export function callOfGuard(
  call: AdminCall,
  { guard, manager }: Pick<GuardRoles, "guard" | "manager">,
  gasLimit: bigint,
): Call {
  const { line, name, args, expects } = call;
  const { to, data } = encodeAdminCall(call, { guard, manager });
  return { kind: "admin", to, data, gasLimit, line, name, args, guard, manager, creates: null, expects };
}
