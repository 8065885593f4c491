import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import BetterSqlite3 from "better-sqlite3";
import { expect } from "chai";
import { sql } from "kysely";
import { isDatabaseUnavailable, isUniqueViolation } from "../../database/errors.ts";
import { migrate } from "../../database/migrate.ts";
import { EDITION } from "../../database/migrations/all.ts";
import type { OurMigration } from "../../database/migrations/migration.ts";
import { type Database, engineOf, openDatabase, postgresPoolOf } from "../../database/open.ts";
import { ALL } from "../support/all.ts";
import { addRows, forEachEngine, rowOf, rowsOf } from "../support/database.ts";
import { failureOf } from "../support/failure.ts";
import { startFunction } from "../support/programs.ts";

const NAMES = Object.keys(EDITION.migrations);
const KEY = {
  id: "key_1",
  digest: "ab",
  name: "Ann",
  email: "ann@example.org",
  purpose: "tests",
  state: "active" as const,
  limit_per_minute: null,
  created_at: 1_795_000_000_123,
  updated_at: 1_795_000_000_123,
};

const tables = async (db: Database): Promise<string[]> =>
  (await db.introspection.getTables()).map(({ name }) => name).sort();

const owners = async (db: Database) => (await rowsOf(db, "owner_nonces")).map(({ owner }) => owner).sort();
const addOwner = (owner: string) => (to: Database) => addRows(to, "owner_nonces", { owner, next: 0 });
const inTransaction = (db: Database, work: (trx: Database) => Promise<unknown>) =>
  db.transaction().execute(work);

/** What a process of its own does. */
async function migrateOnly(url: string): Promise<void> {
  const { migrate } = await import("../../database/migrate.ts");
  const { openDatabase } = await import("../../database/open.ts");
  await using db = openDatabase(url);
  await migrate(db);
}

/** What a process of its own does: it reads a number and writes it back one higher, so many times. */
async function countUp(url: string, times: number): Promise<void> {
  const { openDatabase } = await import("../../database/open.ts");
  await using db = openDatabase(url);
  for (let left = times; left > 0; left--)
    await db.transaction().execute(async (trx) => {
      const row = await trx.selectFrom("api_keys").selectAll().executeTakeFirstOrThrow();
      const next = { limit_per_minute: (row.limit_per_minute ?? 0) + 1 };
      await trx.updateTable("api_keys").set(next).execute();
    });
}

/** @returns the exit code */
async function exitOf<Args extends readonly unknown[]>(work: (...args: Args) => unknown, ...args: Args) {
  const [code] = await once(startFunction(import.meta.dirname, work, ...args), "exit");
  return code as number;
}

describe("database", () => {
  forEachEngine((engine) => {
    it("migrates an empty database once", async () => {
      await using db = openDatabase(await engine.createEmptyUrl());
      expect(engineOf(db)).to.equal(engine.name);
      expect(postgresPoolOf(db) !== undefined).to.equal(engine.name === "postgres");
      expect(await migrate(db)).to.deep.equal(NAMES);
      expect(await tables(db)).to.include.members(["api_keys", "api_key_events", "impact_samples"]);
      expect(await migrate(db)).to.deep.equal([]);
    });

    it("lets several processes migrate at once", async () => {
      const url = await engine.createEmptyUrl();
      const codes = (ALL ? [1, 2, 3, 4] : [1, 2]).map(() => exitOf(migrateOnly, url));
      for (const code of await Promise.all(codes)) expect(code).to.equal(0);
      await using db = openDatabase(url);
      expect(await migrate(db)).to.deep.equal([]);
    });

    it("undoes a migration that fails half-way", async () => {
      await using db = openDatabase(await engine.createEmptyUrl());
      const broken: OurMigration = {
        compatibility: { olderPrograms: "work", because: "It never runs to its end." },
        up: async (transaction) => {
          await transaction.schema.createTable("half").addColumn("id", "text").execute();
          throw new Error("broken");
        },
        down: async () => {},
      };
      const edition = { ...EDITION, migrations: { ...EDITION.migrations, "9999_broken": broken } };
      expect(String(await failureOf(migrate(db, edition)))).to.contain("broken");
      expect(await tables(db)).to.deep.equal([]);
      expect(await migrate(db)).to.deep.equal(NAMES);
    });

    it("returns 64-bit integers, counts and nulls as numbers and nulls", async () => {
      const db = await engine.create();
      await addRows(db, "api_keys", KEY);
      expect(await rowOf(db, "api_keys")).to.deep.equal(KEY);
      const counted = db.selectFrom("api_keys").select((eb) => eb.fn.countAll<number>().as("n"));
      expect(await counted.execute()).to.deep.equal([{ n: 1 }]);
    });

    it("tells a unique violation from other failures", async () => {
      const db = await engine.create();
      await addRows(db, "api_keys", KEY);
      for (const again of [{ digest: "cd" }, { id: "key_2" }]) {
        const error = await failureOf(addRows(db, "api_keys", { ...KEY, ...again }));
        expect(isUniqueViolation(error)).to.equal(true);
      }
      const origin = { asset_key: "a", sampled_at: 1, source: "s", session: "regular" };
      const sample = { ...origin, impact_1k_bps: null, impact_10k_bps: null };
      await addRows(db, "impact_samples", sample);
      expect(isUniqueViolation(await failureOf(addRows(db, "impact_samples", sample)))).to.equal(true);
      const odd = { ...KEY, id: "k3", digest: "ef", state: "odd" as "active" };
      const event = { id: "e", key_id: "none", actor: "a", action: "applied", detail: null, at: 1 } as const;
      for (const work of [
        addRows(db, "api_keys", odd),
        sql`select * from nowhere`.execute(db),
        addRows(db, "api_key_events", event),
      ]) {
        const error = await failureOf(work, Error);
        expect(isUniqueViolation(error)).to.equal(false);
        expect(isDatabaseUnavailable(error)).to.equal(false);
      }
    });

    it("database does not show one transaction's rows to others before its end, and undoes them on failure", async () => {
      const db = await engine.create();
      const failing = db.transaction().execute(async (transaction) => {
        await addRows(transaction, "api_keys", KEY);
        throw new Error("changed my mind");
      });
      expect(String(await failureOf(failing))).to.contain("changed my mind");
      expect(await rowsOf(db, "api_keys")).to.deep.equal([]);
    });

    it("does transactions, statements and what is read beside them in any order, without one waiting for itself", async () => {
      const db = await engine.create();
      const names = Array.from({ length: 12 }, (_, n) => `owner ${n}`);
      await Promise.all(
        names.map((name, n) =>
          n % 2 === 0
            ? addOwner(name)(db)
            : inTransaction(db, async (trx) => {
                await sleep(n % 3);
                await addOwner(name)(trx);
                expect(await owners(trx)).to.include(name);
                expect(await owners(db)).to.not.include(name);
              }),
        ),
      );
      expect(await owners(db)).to.deep.equal(names.sort());
    });

    it("does not take other transactions with one that fails, whose rows are gone", async () => {
      const db = await engine.create();
      await addOwner("a")(db);
      const settled = await Promise.allSettled([
        inTransaction(db, addOwner("b")),
        inTransaction(db, async (trx) => {
          await addOwner("half")(trx);
          throw new Error("changed its mind");
        }),
        inTransaction(db, addOwner("a")),
        addOwner("a")(db),
        inTransaction(db, addOwner("c")),
      ]);
      const statuses = settled.map(({ status }) => status).join(" ");
      expect(statuses).to.equal("fulfilled rejected rejected rejected fulfilled");
      expect(await owners(db)).to.deep.equal(["a", "b", "c"]);
    });

    it("says that it is unavailable once it was closed", async () => {
      const db = openDatabase(await engine.createUrl());
      await db.selectFrom("api_keys").selectAll().execute();
      await db.destroy();
      expect(await failureOf(db.selectFrom("api_keys").selectAll().execute())).to.be.instanceOf(Error);
    });
  });

  describe("SQLite alone", () => {
    forEachEngine((engine) => {
      if (engine.name !== "sqlite") return;

      it("writes ahead, syncs fully and keeps foreign keys", async () => {
        const db = await engine.create();
        const pragma = async (name: string) => {
          const { rows } = await sql<Record<string, unknown>>`pragma ${sql.raw(name)}`.execute(db);
          return Object.values(rows[0] ?? {})[0];
        };
        expect(await pragma("journal_mode")).to.equal("wal");
        expect(await pragma("synchronous")).to.equal(2);
        expect(await pragma("foreign_keys")).to.equal(1);
      });

      it("says that it is unavailable while another process holds the write lock too long", async () => {
        const url = await engine.createUrl();
        const [holder, waiter] = [openDatabase(url), openDatabase(url, { busyTimeoutMs: 20 })];
        await holder.transaction().execute(async () => {
          const error = await failureOf(waiter.insertInto("api_keys").values(KEY).execute());
          expect(isDatabaseUnavailable(error)).to.equal(true);
        });
        await waiter.insertInto("api_keys").values(KEY).execute();
        await holder.destroy();
        await waiter.destroy();
      });

      it("gives up a new file that another program holds, after as long as it may wait", async () => {
        const path = (await engine.createEmptyUrl()).replace("sqlite:", "");
        const holder = new BetterSqlite3(path);
        holder.exec("create table t (a); begin exclusive");
        try {
          const began = performance.now();
          expect(() => openDatabase(`sqlite:${path}`, { busyTimeoutMs: 200 })).to.throw(
            "database is unavailable",
          );
          expect(performance.now() - began).to.be.within(200, 2_000);
        } finally {
          holder.close();
        }
      });

      it("lets a transaction that reads first wait for its turn to write", async () => {
        const url = await engine.createUrl();
        await using db = openDatabase(url);
        await addRows(db, "api_keys", { ...KEY, limit_per_minute: 1 });
        const codes = await Promise.all([1, 2, 3].map(() => exitOf(countUp, url, 20)));
        expect(codes).to.deep.equal([0, 0, 0]);
        expect(await rowOf(db, "api_keys")).to.include({ limit_per_minute: 61 });
      });

      it("commits transactions that arrive together once, before the first of them resolves", async () => {
        const url = await engine.createUrl();
        await using db = openDatabase(url);
        await using other = openDatabase(url);
        const all = ["a", "b", "c"].map(async (name, n) => {
          // Other work of the same moment comes between.
          for (let left = 100 * n; left > 0; left--) await null;
          await inTransaction(db, addOwner(name));
        });
        await Promise.race(all);
        expect(await owners(other)).to.deep.equal(["a", "b", "c"]);
        await Promise.all(all);
      });

      it("refuses what another of the same commit wrote only when that can be read", async () => {
        const db = await engine.create();
        const [first, second] = [addOwner("a")(db), addOwner("a")(db)];
        expect(isUniqueViolation(await failureOf(second))).to.equal(true);
        expect(await owners(db)).to.deep.equal(["a"]);
        await first;
      });

      it("refuses all that arrived together where one has undone them, and none that come later", async () => {
        const db = await engine.create();
        await addOwner("a")(db);
        // As SQLite does by itself on a disk that fails.
        const undo = sql`insert or rollback into owner_nonces (owner, next) values ('a', 0)`;
        const works = [addOwner("b"), (trx: Database) => undo.execute(trx), addOwner("c")];
        const together = works.map((work) => inTransaction(db, work));
        const [before, at, after] = await Promise.allSettled(together);
        for (const lost of [before, at])
          expect(lost?.status === "rejected" && isDatabaseUnavailable(lost.reason)).to.equal(true);
        expect(after?.status).to.equal("fulfilled");
        expect(await owners(db)).to.deep.equal(["a", "c"]);
      });

      it("refuses a path that cannot be a database", () => {
        try {
          openDatabase("sqlite:/dev/null/assay.db");
          expect.fail("it opened");
        } catch (error) {
          expect(isDatabaseUnavailable(error)).to.equal(true);
        }
      });
    });
  });
});
