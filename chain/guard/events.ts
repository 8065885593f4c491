/** The guard's interface; calls, events and errors of guard and manager in words. */
import { type Interface, isError, type LogDescription, type Result } from "ethers";
import { GUARD_ABI, MANAGER_ABI, MODULE_ABI } from "../abis.ts";
import type { GuardRoles } from "./roles.ts";

/** `allowRoute(route: 0x…, selector: 0x…)` */
export function describeCall(abi: Interface, name: string, args: readonly unknown[]): string {
  const inputs = abi.getFunction(name)?.inputs ?? [];
  return `${name}(${inputs.map((input, index) => `${input.name}: ${String(args[index])}`).join(", ")})`;
}

export interface GuardEvent {
  readonly name: string;
  /** By the name of the parameter; numbers as decimal strings. */
  readonly args: Readonly<Record<string, string | boolean>>;
}

export interface RawLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

/** The events of guard and manager among logs; those of others are left out. */
export function guardEvents(
  { guard, manager }: Pick<GuardRoles, "guard" | "manager">,
  logs: readonly RawLog[],
): GuardEvent[] {
  const parse = ({ address, topics, data }: RawLog) => {
    const emitter = address.toLowerCase();
    if (emitter === guard.toLowerCase()) return GUARD_ABI.parseLog({ topics, data });
    return emitter === manager.toLowerCase() ? MANAGER_ABI.parseLog({ topics, data }) : null;
  };
  return logs
    .map(parse)
    .filter((parsed): parsed is LogDescription => parsed !== null)
    .map(({ name, fragment, args }) => ({
      name,
      args: Object.fromEntries(fragment.inputs.map((input, index) => [input.name, plain(args[index])])),
    }));
}

export function describeEvent({ name, args }: GuardEvent): string {
  return `${name}(${Object.entries(args)
    .map(([key, value]) => `${key}: ${value}`)
    .join(", ")})`;
}

/** The custom error of guard, manager or mandate module with its values, or what little can be said of other revert data. */
export function describeRevert(data: string | null | undefined): string {
  if (data === null || data === undefined || data === "0x") return "it reverts without a reason";
  const parsed = GUARD_ABI.parseError(data) ?? MANAGER_ABI.parseError(data) ?? MODULE_ABI.parseError(data);
  if (parsed === null) return `it reverts with the unknown error ${data.slice(0, 10)}`;
  const { name, fragment, args } = parsed;
  return `${name}(${fragment.inputs.map((input, index) => `${input.name}: ${String((args as Result)[index])}`).join(", ")})`;
}

/** The revert data of a failed eth_call or eth_estimateGas; undefined when the failure was another one. */
export function revertDataOf(error: unknown): string | null | undefined {
  return isError(error, "CALL_EXCEPTION") ? (error.data ?? null) : undefined;
}

function plain(value: unknown): string | boolean {
  return typeof value === "boolean" ? value : String(value);
}
