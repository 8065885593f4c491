/** `assay log adopt`: the way on for a service whose log was restored without the file of its last checkpoint. */
import { lastWordsIn } from "../../api/log/files.ts";
import { listShards } from "../../api/log/shards.ts";
import { PlainError, type World } from "../console.ts";
import { withTables } from "../database.ts";

/**
 * Takes what the database says for the last that its logs signed.
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
