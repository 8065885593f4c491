/** What an admin sees before anything happens. */
import { formatEther, formatUnits } from "ethers";
import { coinOf } from "../../attestor/chains.ts";
import { describeCall, describeEvent } from "../../chain/guard/events.ts";
import type { GuardRoles } from "../../chain/guard/roles.ts";
import type { Session } from "../admin/session.ts";
import type { Simulated } from "./simulate.ts";

/** @param callerRole `the admin` @returns lines: who does it, where */
export function headingLines(
  { connection: { chainId, networkName }, place }: Pick<Session, "connection" | "place">,
  { block }: Pick<GuardRoles, "block">,
  caller: string,
  callerRole: string,
): string[] {
  return [
    `Chain    ${chainId} (${networkName}), block ${block}`,
    `Guard    ${place.guard}`,
    `Caller   ${caller}, ${callerRole}`,
  ];
}

/**
 * One block of lines for each call.
 * @param gasPrice wei; null where the node names none
 */
export function planLines(plan: readonly Simulated[], chainId: number, gasPrice: bigint | null): string[] {
  return plan.flatMap(({ call, abi, gas, events }, index) => [
    "",
    `${index + 1}. ${call.line}`,
    `   change  ${call.change.what}: ${call.change.from} -> ${call.change.to}`,
    `   call    ${describeCall(abi, call.name, call.args)}`,
    `   gas     ${gasText(gas, chainId, gasPrice)}`,
    ...(events === null
      ? ["   event   (this node simulates no events)"]
      : events.map((event) => `   event   ${describeEvent(event)}`)),
  ]);
}

export function gasText(gas: bigint, chainId: number, gasPrice: bigint | null): string {
  const amount = gas.toLocaleString("en-US");
  if (gasPrice === null) return amount;
  return `${amount} at ${formatUnits(gasPrice, "gwei")} gwei = ${formatEther(gas * gasPrice)} ${coinOf(chainId)}`;
}
