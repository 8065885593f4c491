/** `assay log supersede`: the way on for a service whose log cannot be signed as it stands. */
import { findLogTree } from "../../api/log/entries.ts";
import { LOST } from "../../api/log/sign.ts";
import { PUBLISHING } from "../../api/log/state.ts";
import { leaseFault } from "../../database/lease.ts";
import type { Database } from "../../database/open.ts";
import { command } from "../command.ts";
import { DATABASE_SETTINGS, databaseUrlOf, withTables } from "../database.ts";
import { EXIT, Unusable } from "../errors.ts";

export const supersedeLog = command({
  summary:
    "With the service stopped: begin the log anew under another name, where it can no longer be signed",
  notes: ["Every entry that the database has moves into the new log, in the same order.", DATABASE_SETTINGS],
  run: async (_, world) => {
    const origin = await withTables(databaseUrlOf(world), (db) =>
      db.transaction().execute((trx) => supersede(trx, world.now())),
    );
    world.out(`The log ${origin} takes over. Start the service, and publish its verifier key (/log/vkey).`);
    return EXIT.ok;
  },
});

/** @throws Unusable where the log is in order, or the service runs */
async function supersede(trx: Database, nowMs: number): Promise<string> {
  const old = await findLogTree(trx);
  const refused = old?.refused ?? (await leaseFault(trx, PUBLISHING));
  if (old === undefined || refused === null || (old.refused === null && !refused.startsWith(LOST)))
    throw new Unusable("the log is in order: there is nothing to supersede");
  if (await isWorking(trx, nowMs))
    throw new Unusable(
      "a worker of the service still runs: stop every process, wait ten seconds, and try again",
    );
  await waitInOrder(trx);
  await trx.deleteFrom("log_nodes").execute();
  await trx.deleteFrom("log_entries").execute();
  const origin = nextName(old.origin);
  const unsigned = { checkpoint: null, signed_at: null, cosigned: null, refused: null };
  await trx
    .updateTable("log_tree")
    .set({ ...unsigned, origin, size: 0, signed_size: 0, cosigned_size: 0, created_at: nowMs })
    .execute();
  return origin;
}

/** Whether a process does a background task: it would go on under the log's old name. */
async function isWorking(trx: Database, nowMs: number): Promise<boolean> {
  const held = await trx
    .selectFrom("leases")
    .select("name")
    .where("expires_at_ms", ">", nowMs)
    .executeTakeFirst();
  return held !== undefined;
}

/** Those that had a place come first. */
async function waitInOrder(trx: Database): Promise<void> {
  const { last } = await trx
    .selectFrom("log_waiting")
    .select(({ fn }) => fn.max("id").as("last"))
    .executeTakeFirstOrThrow();
  await trx
    .insertInto("log_waiting")
    .columns(["entry", "evidence_key"])
    .expression((eb) => eb.selectFrom("log_entries").select(["entry", "evidence_key"]).orderBy("position"))
    .execute();
  if (last === null) return;
  await trx
    .insertInto("log_waiting")
    .columns(["entry", "evidence_key"])
    .expression((eb) =>
      eb.selectFrom("log_waiting").select(["entry", "evidence_key"]).where("id", "<=", last).orderBy("id"),
    )
    .execute();
  await trx.deleteFrom("log_waiting").where("id", "<=", last).execute();
}

/** `assay.example.com/log`, then `assay.example.com/log/2`, `assay.example.com/log/3`. */
function nextName(origin: string): string {
  const [, base = origin, turn = "1"] = /^(.+)\/([1-9][0-9]{0,5})$/.exec(origin) ?? [];
  return `${base}/${Number(turn) + 1}`;
}
