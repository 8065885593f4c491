/**
 * A separate process that migrates the database named on its command line to a made-up next edition. It dies silently at
 * the n-th statement of the named migration, and ends well when the migration has fewer.
 */
import type { Kysely } from "kysely";
import { migrate } from "../../database/migrate.ts";
import { openDatabase } from "../../database/open.ts";
import { NEXT } from "./nextEdition.ts";
import { watching } from "./watching.ts";

const [url = "", name = "", statement = ""] = process.argv.slice(2);
const migration = NEXT.migrations[name];
if (migration === undefined) throw new Error(`there is no migration ${name}`);

let seen = 0;
const dying = watching(() => {
  if (++seen === Number(statement)) process.kill(process.pid, "SIGKILL");
});
const killed = { ...migration, up: (db: Kysely<unknown>) => migration.up(db.withPlugin(dying)) };

const db = openDatabase(url);
await migrate(db, { ...NEXT, migrations: { ...NEXT.migrations, [name]: killed } });
await db.destroy();
