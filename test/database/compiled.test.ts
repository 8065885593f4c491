/** A statement that is compiled once says the same as one that is built each time. */
import { expect } from "chai";
import { compiledOnce } from "../../database/compiled.ts";
import type { Database } from "../../database/open.ts";
import { forEachEngine } from "../support/database.ts";
import { failureOf } from "../support/failure.ts";

type Row = { owner: string; next: number };

forEachEngine((engine) =>
  describe("statements that are compiled once", () => {
    let db: Database;
    let built: number;
    const insertInto = compiledOnce((on, row: Row) => {
      built++;
      return on.insertInto("owner_nonces").values(row);
    });
    const ownersFrom = compiledOnce((on, { least }: { least: number }) =>
      on.selectFrom("owner_nonces").select("owner").where("next", ">=", least).orderBy("owner").limit(2),
    );

    beforeEach(async () => {
      db = await engine.create();
      built = 0;
    });

    it("bind the parameters of each call by their names, in any order", async () => {
      await insertInto(db, { owner: "a", next: 1 });
      await insertInto(db, { next: 2, owner: "b" });
      await insertInto(db, { owner: "c", next: 3 });
      expect(built).to.be.at.most(1);
      expect(await ownersFrom(db, { least: 2 })).to.deep.equal([{ owner: "b" }, { owner: "c" }]);
      expect(await ownersFrom(db, { least: 3 })).to.deep.equal([{ owner: "c" }]);
      expect(await ownersFrom(db, { least: 0 })).to.deep.equal([{ owner: "a" }, { owner: "b" }]);
    });

    it("run in the transaction that they are given, and end with it", async () => {
      const failed = db.transaction().execute(async (trx) => {
        await insertInto(trx, { owner: "a", next: 1 });
        throw new Error("changed its mind");
      });
      await failed.catch(() => {});
      expect(await ownersFrom(db, { least: 0 })).to.deep.equal([]);
    });

    it("refuse other members than those that they were compiled for", async () => {
      await insertInto(db, { owner: "a", next: 1 });
      for (const other of [{}, { next: 1, more: 1 }, { nexd: 1 }, { next: undefined }])
        await failureOf(insertInto(db, { owner: "b", ...other } as Row), TypeError);
      expect(await ownersFrom(db, { least: 0 })).to.deep.equal([{ owner: "a" }]);
    });
  }),
);
