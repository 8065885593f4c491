/** A call as it is shown, sent, written down and read back. */
import {
  type AdminCall,
  contractOf,
  type Expectation,
  encodeAdminCall,
} from "../../chain/guard/adminCalls.ts";
import { describeCall } from "../../chain/guard/events.ts";
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
  readonly change: AdminCall["change"];
  /** Function and arguments, in words. */
  readonly decoded: string;
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
