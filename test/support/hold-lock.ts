/** Holds the write lock of a SQLite file until a message releases it. */
import BetterSqlite3 from "better-sqlite3";

const file = new BetterSqlite3(process.argv[2] as string);
file.exec("begin immediate");
process.on("message", () => {
  file.exec("commit");
  file.close();
  process.disconnect();
});
process.send?.("held");
