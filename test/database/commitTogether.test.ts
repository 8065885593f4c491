import { join } from "node:path";
import { expect } from "chai";
import { sql } from "kysely";
import { commitTogether } from "../../database/commitTogether.ts";
import { migrate } from "../../database/migrate.ts";
import { type Database, openDatabase } from "../../database/open.ts";
import { rowsOf } from "../support/database.ts";
import { folderOfTest, ofTest } from "../support/suite.ts";

describe("transactions that arrive together", () => {
  const folder = folderOfTest("together");
  const statements: string[] = [];
  const db = ofTest(async () => {
    const opened = openDatabase(`sqlite:${join(folder, "a.db")}`, {
      onQuery: ({ sql }) => statements.push(sql),
    });
    await migrate(opened);
    statements.length = 0;
    return opened;
  });

  const insert = (owner: string) => (trx: Database) =>
    trx.insertInto("owner_nonces").values({ owner, next: 0 }).execute();
  const owners = async () => (await rowsOf(db, "owner_nonces")).map(({ owner }) => owner).sort();

  it("transactions that arrive together are one commit, seen by a second connection as soon as the first of them resolves", async () => {
    await using other = openDatabase(`sqlite:${join(folder, "a.db")}`);
    const all = ["a", "b", "c", "d"].map((owner) => commitTogether(db, insert(owner)));
    await Promise.race(all);
    const seen = (await other.selectFrom("owner_nonces").select("owner").execute()).length;
    await Promise.all(all);
    expect(seen).to.equal(4);
    expect(statements.filter((sql) => sql.startsWith("savepoint")).length).to.equal(4);
  });

  it("transactions that arrive together do not take each other with them: what one wrote before it failed is gone, and the others stand", async () => {
    const settled = await Promise.allSettled([
      commitTogether(db, insert("a")),
      commitTogether(db, async (trx) => {
        await insert("half")(trx);
        throw new Error("changed its mind");
      }),
      commitTogether(db, insert("a")),
      commitTogether(db, insert("b")),
    ]);
    const statuses = settled.map(({ status }) => status).join(" ");
    expect(statuses).to.equal("fulfilled rejected rejected fulfilled");
    expect(await owners()).to.deep.equal(["a", "b"]);
  });

  it("all fail when their commit fails, and the next ones do not", async () => {
    const lost = await Promise.allSettled([
      commitTogether(db, insert("a")),
      commitTogether(db, async (trx) => {
        await insert("b")(trx);
        // As SQLite does by itself on a full disk.
        await sql`rollback`.execute(trx);
        throw new Error("the disk is full");
      }),
    ]);
    expect(lost.map(({ status }) => status)).to.deep.equal(["rejected", "rejected"]);
    await commitTogether(db, insert("c"));
    expect(await owners()).to.deep.equal(["c"]);
  });

  it("that come one after the other are each a plain transaction", async () => {
    for (const owner of ["a", "b"]) await commitTogether(db, insert(owner));
    expect(await owners()).to.deep.equal(["a", "b"]);
    expect(statements.filter((sql) => sql.startsWith("savepoint"))).to.deep.equal([]);
  });
});
