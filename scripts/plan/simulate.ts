/** Tries a call on the chain's present state without sending it. */
import type { JsonRpcProvider } from "ethers";
import {
  describeRevert,
  type GuardEvent,
  guardEvents,
  type RawLog,
  revertDataOf,
} from "../../chain/guard/events.ts";
import type { GuardRoles } from "../../chain/guard/roles.ts";
import { upstream } from "../../chain/rpc.ts";
import { Reverted } from "../errors.ts";

type CallFields = { readonly from: string; readonly to?: string; readonly data: string };

/**
 * @param line what it does
 * @returns the node's estimate of its gas
 * @throws Reverted with the decoded reason; UpstreamUnavailable
 */
export async function tried(
  provider: JsonRpcProvider,
  line: string,
  transaction: CallFields,
): Promise<bigint> {
  try {
    await upstream("simulation", () => provider.call(transaction));
    return await upstream("gas estimate", () => provider.estimateGas(transaction));
  } catch (error) {
    const revertData = revertDataOf(error);
    if (revertData === undefined) throw error;
    throw new Reverted(`The chain would refuse to ${line}: ${describeRevert(revertData)}.`);
  }
}

/** By whichever way the node offers; null when it offers none. */
export async function simulatedEvents(
  provider: JsonRpcProvider,
  place: Pick<GuardRoles, "guard" | "manager">,
  transaction: CallFields,
): Promise<GuardEvent[] | null> {
  for (const way of [traced, simulatedBlock]) {
    try {
      return guardEvents(place, await way(provider, transaction));
    } catch {
      // Most public nodes offer one of the two at most, and refuse the other each in its own way.
    }
  }
  return null;
}

interface Frame {
  readonly logs?: readonly RawLog[];
  readonly calls?: readonly Frame[];
}

async function traced(provider: JsonRpcProvider, transaction: CallFields): Promise<RawLog[]> {
  const options = { tracer: "callTracer", tracerConfig: { withLog: true } };
  const flat = ({ logs = [], calls = [] }: Frame): RawLog[] => [...logs, ...calls.flatMap(flat)];
  return flat((await provider.send("debug_traceCall", [transaction, "latest", options])) as Frame);
}

async function simulatedBlock(provider: JsonRpcProvider, transaction: CallFields): Promise<RawLog[]> {
  const blocks = (await provider.send("eth_simulateV1", [
    { blockStateCalls: [{ calls: [transaction] }] },
    "latest",
  ])) as { calls: { logs: RawLog[] }[] }[];
  return blocks.flatMap(({ calls }) => calls.flatMap(({ logs }) => logs));
}
