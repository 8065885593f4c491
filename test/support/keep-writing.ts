/** A process of its own that writes to a SQLite database, four rows at a time, and tells each as soon as it is acknowledged. */
import { openDatabase } from "../../database/open.ts";

const db = openDatabase(process.argv[2] ?? "");
let last = 0;
async function write(): Promise<never> {
  for (;;) {
    const owner = String(++last);
    await db.insertInto("owner_nonces").values({ owner, next: 0 }).execute();
    process.send?.(owner);
  }
}
await Promise.all([write(), write(), write(), write()]);
