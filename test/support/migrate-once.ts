/** A process of its own that migrates the database named on its command line and ends. */
import { migrate } from "../../database/migrate.ts";
import { openDatabase } from "../../database/open.ts";

const db = openDatabase(process.argv[2] ?? "");
await migrate(db);
await db.destroy();
