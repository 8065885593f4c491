/**
 * A process of its own that migrates the database named on its command line and dies, without a word, at the n-th statement
 * of the named migration; it ends well when the migration has fewer.
 */
import type { KyselyPlugin } from "kysely";
import { migrate } from "../../database/migrate.ts";
import { MIGRATIONS } from "../../database/migrations/all.ts";
import { openDatabase } from "../../database/open.ts";

const [url = "", name = "", statement = ""] = process.argv.slice(2);
const migration = MIGRATIONS[name];
if (migration === undefined) throw new Error(`there is no migration ${name}`);

let seen = 0;
const dying: KyselyPlugin = {
  transformQuery({ node }) {
    if (++seen === Number(statement)) process.kill(process.pid, "SIGKILL");
    return node;
  },
  transformResult: async ({ result }) => result,
};
MIGRATIONS[name] = { ...migration, up: (db) => migration.up(db.withPlugin(dying)) };

const db = openDatabase(url);
await migrate(db);
await db.destroy();
