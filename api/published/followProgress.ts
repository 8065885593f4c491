/** How far the guard's events in final blocks were read. */
import type { Deployment } from "../../chain/deployment.ts";
import type { Database } from "../../database/open.ts";
import { type Family, gaugeFor } from "../metrics/instruments.ts";

type Guard = Pick<Deployment, "chainId" | "guard">;

/** Names of the cursors: the last final block whose events were read, and the last one that was seen. */
export const followCursors = ({ chainId, guard }: Guard) => ({
  read: `final/${chainId}/${guard}`,
  seen: `seen/${chainId}/${guard}`,
});

/**
 * How many blocks nobody has read yet; null: nobody has begun.
 * @throws DatabaseUnavailable
 */
export async function unreadBlocks(db: Database, guard: Guard): Promise<number | null> {
  const names = followCursors(guard);
  const cursors = await db
    .selectFrom("chain_cursors")
    .selectAll()
    .where("name", "in", Object.values(names))
    .execute();
  if (cursors.length === 0) return null;
  const blockOf = (name: string) => Number(cursors.find((cursor) => cursor.name === name)?.block ?? 0);
  return Math.max(0, blockOf(names.seen) - blockOf(names.read));
}

/** No value where it is not known. */
export const unreadFamily = (blocks: number | null): Family =>
  gaugeFor("assay_guard_unread_blocks", blocks === null ? [] : [[{}, blocks]]);
