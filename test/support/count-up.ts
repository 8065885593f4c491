/** A process of its own that reads a number and writes it back one higher, so many times. */
import { openDatabase } from "../../database/open.ts";

const db = openDatabase(process.argv[2] ?? "");
for (let left = Number(process.argv[3]); left > 0; left--)
  await db.transaction().execute(async (transaction) => {
    const row = await transaction.selectFrom("api_keys").selectAll().executeTakeFirstOrThrow();
    await transaction
      .updateTable("api_keys")
      .set({ limit_per_minute: (row.limit_per_minute ?? 0) + 1 })
      .execute();
  });
await db.destroy();
