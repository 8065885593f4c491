/** The guard's state at a block. */
import { getAddress, type Interface } from "ethers";
import type { PendingChange } from "../../attestor/evidence/facts.ts";
import type { Route } from "../../attestor/registry.ts";
import { TradeGuard__factory } from "../../types/contracts/factories/contracts/TradeGuard__factory.ts";
import type { Caller } from "../blockReads.ts";
import { UpstreamUnavailable } from "../chainErrors.ts";
import type { Deployment } from "../deployment.ts";
import { describeOperation } from "../guard/adminCalls.ts";
import { MANAGER_ABI, type Operation, operationId } from "../guard/manager.ts";
import { orNull, upstream } from "../rpc.ts";

const abi: Interface = TradeGuard__factory.createInterface();

export interface GuardState {
  /** The contract that calls the routes, and that their call data names. */
  readonly executor: string;
  readonly paused: boolean;
  readonly signer: string;
  readonly recipientAllowed: boolean;
  readonly pending: readonly PendingChange[];
  readonly routes: readonly { route: Route; allowed: boolean }[];
}

/** What evidence has room for. */
const MOST_PENDING = 64;
const MOST_CALL_LENGTH = 1_000;

/**
 * Of what was ever scheduled, that which still waits.
 * @param caller reads at the block that is meant
 * @throws UpstreamUnavailable
 */
export async function readPending(
  caller: Caller,
  guard: string,
  operations: readonly Operation[],
): Promise<PendingChange[]> {
  if (operations.length === 0) return [];
  return await upstream("the guard's schedule", async () => {
    const asked = await caller.call({ to: guard, data: abi.encodeFunctionData("authority") });
    const manager = getAddress(String(abi.decodeFunctionResult("authority", asked)[0]));
    const found = await Promise.all(
      operations.map(async (made) => {
        const operation = operationId(made);
        const data = MANAGER_ABI.encodeFunctionData("getSchedule", [operation]);
        const [readyAt] = MANAGER_ABI.decodeFunctionResult(
          "getSchedule",
          await caller.call({ to: manager, data }),
        );
        const call = describeOperation(made, { guard, manager }).slice(0, MOST_CALL_LENGTH);
        return { operation, call, readyAt: Number(readyAt) };
      }),
    );
    return found
      .filter(({ readyAt }) => readyAt !== 0)
      .sort((a, b) => a.readyAt - b.readyAt || (a.operation < b.operation ? -1 : 1))
      .slice(0, MOST_PENDING);
  });
}

/**
 * @param caller reads at the block that is meant
 * @param operations that were ever scheduled
 * @param recipient null when the output goes to the owner, which needs no list
 * @throws UpstreamUnavailable when the node does not answer or has no guard there
 */
export async function readGuardState(
  caller: Caller,
  { guard, registry }: Pick<Deployment, "guard" | "registry">,
  recipient: string | null,
  operations: readonly Operation[],
): Promise<GuardState> {
  const ask = async (
    name: "executor" | "paused" | "signer" | "isRecipientAllowed" | "isRouteAllowed",
    args: string[] = [],
  ) => {
    const data = abi.encodeFunctionData(name, args);
    return abi.decodeFunctionResult(name, await caller.call({ to: guard, data }))[0];
  };
  const state = await upstream("guard state", () =>
    orNull(() =>
      Promise.all([
        ask("executor"),
        ask("paused"),
        ask("signer"),
        recipient === null ? true : ask("isRecipientAllowed", [recipient]),
        Promise.all(
          registry.routes.map(async (route) => ({
            route,
            allowed: Boolean(await ask("isRouteAllowed", [route.address, route.selector])),
          })),
        ),
        readPending(caller, guard, operations),
      ]),
    ),
  );
  if (state === null) throw new UpstreamUnavailable(`The chain has no guard at ${guard}.`);
  const [executor, paused, signer, recipientAllowed, routes, pending] = state;
  return {
    executor: getAddress(String(executor)),
    paused: Boolean(paused),
    signer: getAddress(String(signer)),
    recipientAllowed: Boolean(recipientAllowed),
    routes,
    pending,
  };
}
