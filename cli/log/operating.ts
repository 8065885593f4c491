/** `assay log supersede` and `assay log adopt`: the ways on for a service whose log cannot be signed as it stands. */
import { lastWordsIn } from "../../api/log/files.ts";
import { LOST } from "../../api/log/lostWord.ts";
import { beginShard, listShards, newestShard, shardNamed } from "../../api/log/shards.ts";
import { PUBLISHING } from "../../api/log/state.ts";
import { familyOf } from "../../attestor/log/checkpoint.ts";
import { leaseFault } from "../../database/lease.ts";
import type { Database } from "../../database/open.ts";
import { PlainError, type World } from "../console.ts";
import { withTables } from "../database.ts";

const CHUNK = 500;

/**
 * Begins the next log. What the old one signed stays as it is, and is served; what it did not sign waits for the new one.
 * @param nowMs unix milliseconds
 * @throws PlainError where the running log is in order
 */
export async function supersedeLog(databaseUrl: string, nowMs: number, world: World): Promise<number> {
  const name = await withTables(databaseUrl, (db) =>
    db.transaction().execute((trx) => supersede(trx, nowMs)),
  );
  world.out(`The log ${name} takes over. Start the service, and publish its verifier key (/log/vkey).`);
  return 0;
}

async function supersede(trx: Database, nowMs: number): Promise<string> {
  const old = await newestShard(trx);
  const refused = old?.refused ?? (await leaseFault(trx, PUBLISHING));
  if (old === undefined || refused === null || (old.refused === null && !refused.startsWith(LOST)))
    throw new PlainError("the running log is in order: there is nothing to supersede");
  await trx.updateTable("log_shards").set({ refused }).where("id", "=", old.id).execute();
  await beginShard(trx, old, { base: familyOf(old.origin), nowMs });
  const next = await newestShard(trx);
  if (next === undefined || (await shardNamed(trx, next.name))?.id === old.id)
    throw new PlainError("another log is being started at the moment; try again");
  for (let from = old.signed_size; from < old.size; from += CHUNK) {
    const unsigned = await trx
      .selectFrom("log_entries")
      .select(["entry", "evidence_key"])
      .where("shard", "=", old.id)
      .where("position", ">=", from)
      .where("position", "<", from + CHUNK)
      .orderBy("position")
      .execute();
    if (unsigned.length > 0) await trx.insertInto("log_waiting").values(unsigned).execute();
  }
  return next.origin;
}

/**
 * For a log that was restored without the file of its last checkpoint: takes what the database says for the last that its logs signed.
 * @param folder the service's LOG_STATE_DIR
 * @throws PlainError where no log lacks its file
 */
export async function adoptLogs(databaseUrl: string, folder: string, world: World): Promise<number> {
  const words = lastWordsIn(folder);
  const shards = await withTables(databaseUrl, (db) => listShards(db));
  const lacking = shards.filter(({ name, refused }) => refused === null && !words.has(name));
  const adopted = lacking.flatMap(({ name, origin, signed_size, checkpoint }) =>
    checkpoint === null ? [] : [{ name, origin, size: signed_size, checkpoint }],
  );
  if (adopted.length === 0)
    throw new PlainError(`no log lacks its file in ${folder}: there is nothing to adopt`);
  for (const { name, origin, size, checkpoint } of adopted) {
    await words.write(name, checkpoint);
    world.out(`${origin} continues from ${size} entries, the last that this database knows of.`);
  }
  return 0;
}
