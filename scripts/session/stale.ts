/** Whether what the RPC says is of now. */
import type { GuardRoles } from "../../chain/guard/roles.ts";
import type { Session } from "./session.ts";

/** Blocks of the chains that guards stand on are seconds apart. */
const FRESH_SECONDS = 120;

/**
 * @returns a line of warning when the newest block that the RPC knows is an old one; null on the local chain, which
 * makes a block when something happens
 */
export function staleWarning(
  { world, connection }: Pick<Session, "world" | "connection">,
  { block, blockTime }: Pick<GuardRoles, "block" | "blockTime">,
): string | null {
  const age = Math.floor(world.now() / 1000) - blockTime;
  if (!connection.live || age <= FRESH_SECONDS) return null;
  return `WARNING  The newest block of this RPC, ${block}, is ${age} seconds old: the chain has halted, or the RPC is behind and the state may have changed. Compare with another RPC or an explorer.`;
}
