/** What the executor allows others: read for a command, in words, and which of it is wrong for sure. */
import {
  type Allowance,
  collectApprovals,
  type SeenApprovals,
  standingAllowances,
} from "../../chain/guard/allowances.ts";
import { REMEMBER_BEHIND_BLOCKS } from "../../chain/guard/reading.ts";
import type { GuardRoles } from "../../chain/guard/roles.ts";
import { progressOf } from "../progress.ts";
import type { Session } from "../session/session.ts";
import type { Drift } from "./drift.ts";

/**
 * As of the block of `roles`; remembered from look to look, so that the next one is short.
 * @throws CommandError; UpstreamUnavailable, also where the node gives no events
 */
export async function readAllowances(
  { connection, place, records, world }: Session,
  { executor, block }: Pick<GuardRoles, "executor" | "block">,
): Promise<Allowance[]> {
  const { provider, live } = connection;
  const tell = progressOf(world, "Reading the executor's approvals, up to block", "");
  const onPage = (at: number) => tell(at, block);
  const nothing: SeenApprovals = { executor, upToBlock: place.deployedAtBlock - 1, approvals: [] };
  // The local chain may begin anew at the same addresses.
  const start = (live ? await records.readApprovals(executor) : null) ?? nothing;
  const settled = await collectApprovals(provider, start, block - REMEMBER_BEHIND_BLOCKS, onPage);
  if (live && settled.upToBlock > start.upToBlock) await records.writeApprovals(settled);
  return await standingAllowances(provider, await collectApprovals(provider, settled, block, onPage), block);
}

/** Names the token; null: nobody here knows it. */
export type NameToken = (token: string) => string | null;

/**
 * Of tokens that are known here. Anybody can make a contract that claims to be approved by the executor, so that what an
 * unknown one says is shown and not called wrong.
 */
export function allowanceDrift(allowances: readonly Allowance[], nameToken: NameToken): Drift[] {
  return allowances
    .filter(({ token }) => nameToken(token) !== null)
    .map(({ token, spender, units }) => ({
      what: `allowance of the executor: ${nameToken(token)}, ${token}`,
      isNow: `${spender} may take ${units} raw units`,
      shouldBe: `nothing: send the executor clearAllowance(${token}, ${spender}) from any account`,
    }));
}

/** Those of tokens that nobody here knows. */
export function unknownAllowances(allowances: readonly Allowance[], nameToken: NameToken): string[] {
  return allowances
    .filter(({ token }) => nameToken(token) === null)
    .map(
      ({ token, spender, units }) => `    ${token}, not known here, says that ${spender} may take ${units}`,
    );
}
