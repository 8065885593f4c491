/** Many small transactions as one: each stands or falls alone, and none is acknowledged before all are on disk. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { sql } from "kysely";
import { commitTogether } from "../../database/commitTogether.ts";
import { migrate } from "../../database/migrate.ts";
import { type Database, openDatabase } from "../../database/open.ts";

describe("transactions that arrive together", () => {
  let folder: string;
  let db: Database;
  let statements: string[];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "assay-together-"));
    statements = [];
    db = openDatabase(`sqlite:${join(folder, "a.db")}`, { onQuery: ({ sql }) => statements.push(sql) });
    await migrate(db);
    statements.length = 0;
  });

  afterEach(async () => {
    await db.destroy();
    await rm(folder, { recursive: true, force: true });
  });

  const insert = (owner: string) => (trx: Database) =>
    trx.insertInto("owner_nonces").values({ owner, next: 0 }).execute();
  const owners = async () =>
    (await db.selectFrom("owner_nonces").select("owner").orderBy("owner").execute()).map(
      ({ owner }) => owner,
    );

  it("transactions that arrive together are one commit, seen by a second connection as soon as the first of them is told", async () => {
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
    expect(settled.map(({ status }) => status)).to.deep.equal([
      "fulfilled",
      "rejected",
      "rejected",
      "fulfilled",
    ]);
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
