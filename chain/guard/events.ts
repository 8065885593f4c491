/** The guard's interface, and its calls, events and errors in words. */
import { type Interface, isError, type LogDescription, type Result } from "ethers";
import { TradeGuard__factory } from "../../types/contracts/factories/contracts/TradeGuard__factory.ts";

export const GUARD_ABI: Interface = TradeGuard__factory.createInterface();

/** `setRoute(route: 0x…, selector: 0x…, allowed: true)` */
export function describeCall(name: string, args: readonly unknown[]): string {
  const inputs = GUARD_ABI.getFunction(name)?.inputs ?? [];
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

/** The guard's events among logs; those of others are left out. */
export function guardEvents(guard: string, logs: readonly RawLog[]): GuardEvent[] {
  return logs
    .filter(({ address }) => address.toLowerCase() === guard.toLowerCase())
    .map((log) => GUARD_ABI.parseLog({ topics: [...log.topics], data: log.data }))
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

/** The guard's custom error with its values, or what little can be said of other revert data. */
export function describeRevert(data: string | null | undefined): string {
  if (data === null || data === undefined || data === "0x") return "it reverts without a reason";
  const parsed = GUARD_ABI.parseError(data);
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
