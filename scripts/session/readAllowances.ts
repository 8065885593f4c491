/** What the executor allows others, for a command: remembered from look to look, so that the next one is short. */
import {
  type Allowance,
  collectApprovals,
  type SeenApprovals,
  standingAllowances,
} from "../../chain/guard/allowances.ts";
import { REMEMBER_BEHIND_BLOCKS } from "../../chain/guard/reading.ts";
import type { GuardRoles } from "../../chain/guard/roles.ts";
import type { Session } from "./session.ts";

const TELL_EVERY_MS = 5_000;

/**
 * As of the block of `roles`.
 * @throws AdminError; UpstreamUnavailable, also where the node gives no events
 */
export async function readAllowances(
  { connection, place, records, world }: Session,
  { executor, block }: Pick<GuardRoles, "executor" | "block">,
): Promise<Allowance[]> {
  const { provider, live } = connection;
  let told = world.now();
  const onPage = (page: number) => {
    if (world.now() - told < TELL_EVERY_MS) return;
    told = world.now();
    world.printError(`Reading the executor's approvals, block ${page}…`);
  };
  const nothing: SeenApprovals = { executor, upToBlock: place.deployedAtBlock - 1, approvals: [] };
  // The local chain may begin anew at the same addresses.
  const start = (live ? await records.readApprovals(executor) : null) ?? nothing;
  const settled = await collectApprovals(provider, start, block - REMEMBER_BEHIND_BLOCKS, onPage);
  if (live && settled.upToBlock > start.upToBlock) await records.writeApprovals(settled);
  return await standingAllowances(provider, await collectApprovals(provider, settled, block, onPage), block);
}
