/** `guard renew-executor`: the guard deploys a fresh executor and trades by it from then on. */
import { EXECUTORS, executorAt, executorNumber } from "../attestor/evm/executors.ts";
import { renewExecutorCall } from "../chain/guard/adminCalls.ts";
import type { GuardRoles } from "../chain/guard/roles.ts";
import { AdminError, type ExitCode } from "./adminErrors.ts";
import type { AdminContext } from "./session/context.ts";
import { type ActArguments, actOnGuard } from "./transactions/carryOut.ts";

/**
 * Each run renews once more: there is no state that would say that it was done.
 * @returns the exit code
 */
export async function renewExecutor(world: AdminContext, args: ActArguments): Promise<ExitCode> {
  return await actOnGuard(world, args, "guard renew-executor", ({ registry }, roles) => {
    const next = nextExecutor(roles);
    world.print("Trades prepared so far will be refused and must be prepared again; nothing is lost.");
    world.print("");
    const traded = (registry?.assets ?? []).map(({ address }) => address);
    return [renewExecutorCall(roles, next, traded)];
  });
}

/** @throws AdminError `refused` where the guard has used all of its executors */
function nextExecutor({ guard, executor }: GuardRoles): string {
  const number = executorNumber(guard, executor) ?? 0;
  if (number + 1 === EXECUTORS)
    throw new AdminError("refused", `The guard has used all ${EXECUTORS} executors: deploy a new guard.`);
  return executorAt(guard, number + 1);
}
