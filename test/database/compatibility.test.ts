/** What migrations say of older programs, whether it is so, and the way from the last release and back to it. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect } from "chai";
import { sql } from "kysely";
import { Migrator } from "kysely/migration";
import { findStoredReport, listReports } from "../../api/jobs/store.ts";
import { paymentOfJob } from "../../api/payments/ledger.ts";
import { canonicalHash } from "../../attestor/values/canonical.ts";
import { verifyDocument } from "../../attestor/verify/verify.ts";
import { type Compatibility, DatabaseNewer } from "../../database/compatibility.ts";
import { appliedMigrations, migrate, newerMigrations, takeBack } from "../../database/migrate.ts";
import { MIGRATIONS } from "../../database/migrations/all.ts";
import { type Database, engineOf, openDatabase } from "../../database/open.ts";
import { recording } from "../../database/recording.ts";
import { RELEASES } from "../../database/releases.ts";
import { basisPoints } from "../../market/queries.ts";
import { forEachEngine, type TestEngine } from "../support/database.ts";
import { databaseOfRelease } from "../support/releases.ts";

const ROOT = join(import.meta.dirname, "../..");
const LAST = RELEASES.at(-1)!;
const NAMES = Object.keys(MIGRATIONS);
const SINCE = NAMES.filter((name) => name > LAST.migration);
/** A job of the frozen database, bought and traded. */
const JOB = "job_oP20VYOtj9czqc0YQ8DQqg";
const SIGNER = "0xBcd4042DE499D14e55001CcbB24a551F3b954096";

interface Shape {
  readonly columns: Readonly<Record<string, { readonly type: string; readonly takesNothing: boolean }>>;
  /** Unique indexes and primary keys, as the engine describes them. */
  readonly unique: readonly string[];
}
type Shapes = Readonly<Record<string, Shape>>;

async function uniquesOf(db: Database, table: string): Promise<string[]> {
  const { rows } =
    engineOf(db) === "sqlite"
      ? await sql<{
          u: string;
        }>`select coalesce(m.sql, group_concat(c.name)) as u from pragma_index_list(${table}) i
          join pragma_index_info(i.name) c left join sqlite_master m on m.name = i.name
          where i."unique" = 1 group by i.name order by 1`.execute(db)
      : await sql<{ u: string }>`select indexdef as u from pg_indexes
          where tablename = ${table} and indexdef like 'CREATE UNIQUE%' order by 1`.execute(db);
  return rows.map(({ u }) => u);
}

async function shapesOf(db: Database): Promise<Shapes> {
  const shapes: Record<string, Shape> = {};
  for (const { name, columns } of await db.introspection.getTables())
    shapes[name] = {
      columns: Object.fromEntries(
        columns.map((column) => [
          column.name,
          {
            type: column.dataType,
            takesNothing: column.isNullable || column.hasDefaultValue || column.isAutoIncrementing,
          },
        ]),
      ),
      unique: await uniquesOf(db, name),
    };
  return shapes;
}

/** What a program that knows the shapes of before would stumble over. */
function obstacles(before: Shapes, after: Shapes): string[] {
  return Object.entries(before).flatMap(([table, old]) => {
    const now = after[table];
    if (now === undefined) return [`${table} is gone`];
    const columns = Object.entries(old.columns).flatMap(([name, column]) => {
      const same = now.columns[name];
      if (same === undefined) return [`${table}.${name} is gone`];
      if (same.type !== column.type) return [`${table}.${name} has another type`];
      return column.takesNothing && !same.takesNothing ? [`${table}.${name} must be given`] : [];
    });
    const added = Object.entries(now.columns).filter(([name]) => !Object.hasOwn(old.columns, name));
    const demanded = added
      .filter(([, { takesNothing }]) => !takesNothing)
      .map(([name]) => `${table}.${name} must be given`);
    const unique = now.unique.join() === old.unique.join() ? [] : [`${table} has other keys`];
    return [...columns, ...demanded, ...unique];
  });
}

/** The rows of every table, without columns and tables that `known` does not name. */
async function contentOf(db: Database, known: Shapes): Promise<Record<string, string[]>> {
  const content: Record<string, string[]> = {};
  for (const [table, { columns }] of Object.entries(known)) {
    const names = sql.join(
      Object.keys(columns)
        .sort()
        .map((name) => sql.ref(name)),
    );
    const { rows } = await sql<object>`select ${names} from ${sql.table(table)}`.execute(db);
    content[table] = rows.map((row) => JSON.stringify(row)).sort();
  }
  return content;
}

/** Gives the database a migration that this program then does not know, as a newer program leaves it. */
async function migratedByNewer(db: Database, said: Compatibility | null): Promise<void> {
  const up = async () => {};
  const compatibility = said ?? { olderPrograms: "work" as const, because: "" };
  const file = { "9000_newer": { compatibility, up } };
  Object.assign(MIGRATIONS, said === null ? file : recording(file));
  try {
    expect(await migrate(db)).to.include("9000_newer");
  } finally {
    delete MIGRATIONS["9000_newer"];
  }
}

async function onDatabase<T>(url: string, use: (db: Database) => Promise<T>): Promise<T> {
  const db = openDatabase(url);
  try {
    return await use(db);
  } finally {
    await db.destroy();
  }
}

const released = (engine: TestEngine) => databaseOfRelease(engine, LAST.version);
const refusalOf = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => expect.fail("it was not refused"),
    (error: Error) => error,
  );

describe("the compatibility of migrations", () => {
  it("is said by each of them, in a sentence", () => {
    for (const [name, { compatibility }] of Object.entries(MIGRATIONS))
      expect(compatibility.because, name).to.match(/^[A-Z].*\.$/);
  });

  forEachEngine((engine) => {
    it("lets older programs work only where tables, columns, types and keys of before stay, and nothing more must be given", async () => {
      await onDatabase(await engine.createUrl(), async (db) => {
        const found: Record<string, string[]> = {};
        let before = await shapesOf(db);
        for (const [name, { compatibility }] of Object.entries(MIGRATIONS)) {
          const migrator = new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS } });
          expect((await migrator.migrateTo(name)).error).to.equal(undefined);
          const after = await shapesOf(db);
          found[name] = obstacles(before, after);
          if (compatibility.olderPrograms === "work") expect(found[name], name).to.deep.equal([]);
          before = after;
        }
        // That the comparison sees anything at all.
        expect(found["0016_plain_names"]).to.include.members([
          "quotes is gone",
          "hour_buckets.companion is gone",
        ]);
      });
    });

    it("is kept in the database for every migration, and not for those that were taken back", async () => {
      await onDatabase(await engine.createUrl(), async (db) => {
        await migrate(db);
        const rows = await db
          .selectFrom("migration_compatibility")
          .selectAll()
          .orderBy("migration")
          .execute();
        expect(
          rows.map(({ migration, older_programs, because }) => [migration, older_programs, because]),
        ).to.deep.equal(
          Object.entries(MIGRATIONS).map(([name, { compatibility }]) => [
            name,
            compatibility.olderPrograms,
            compatibility.because,
          ]),
        );
        Object.assign(
          MIGRATIONS,
          recording({
            "9000_next": { ...MIGRATIONS["0020_compatibility"]!, up: async () => {}, down: async () => {} },
          }),
        );
        try {
          await migrate(db);
          expect(await takeBack(db, NAMES.at(-1)!)).to.deep.equal(["9000_next"]);
        } finally {
          delete MIGRATIONS["9000_next"];
        }
        expect(await db.selectFrom("migration_compatibility").selectAll().execute()).to.have.length(
          rows.length,
        );
      });
    });

    it(`brings the database of ${LAST.version} up to date, keeps its rows, and reads them`, async () => {
      await onDatabase(await released(engine), async (db) => {
        const known = await shapesOf(db);
        const content = await contentOf(db, known);
        expect(await migrate(db)).to.deep.equal(SINCE);
        const allWork = SINCE.every((name) => MIGRATIONS[name]?.compatibility.olderPrograms === "work");
        if (allWork) expect(await contentOf(db, known)).to.deep.equal(content);

        const reports = await listReports(db, JOB);
        expect(reports.map(({ version, decision }) => [version, decision])).to.deep.equal([
          [1, "ALLOW"],
          [2, "ALLOW"],
        ]);
        const report = await findStoredReport(db, JOB);
        expect(canonicalHash(report?.evidence)).to.equal(reports[1]?.evidence_hash);
        expect(verifyDocument(JSON.stringify(report), { signer: SIGNER }).verdict).to.equal("VALID");
        expect(await paymentOfJob(db, JOB)).to.include({ state: "settled", amount: "10000" });
        const hours = await basisPoints(
          db,
          "AAPL",
          { from: 496_553 * 3_600, to: 496_563 * 3_600 },
          "simulated",
        );
        expect(hours[0]).to.include({ basisBps: "7.2882" });
      });
    });

    it(`takes the database back to ${LAST.version}, table by table and row by row`, async () => {
      await onDatabase(await released(engine), async (db) => {
        const known = await shapesOf(db);
        const content = await contentOf(db, known);
        await migrate(db);
        expect(await takeBack(db, LAST.migration)).to.deep.equal([...SINCE].reverse());
        expect(await shapesOf(db)).to.deep.equal(known);
        expect(await contentOf(db, known)).to.deep.equal(content);
        expect(await appliedMigrations(db)).to.deep.equal(NAMES.filter((name) => name <= LAST.migration));
      });
    });

    it("is what today's tables without those of after the release are: the frozen database is no invention", async () => {
      const frozen = await onDatabase(await released(engine), shapesOf);
      const made = await onDatabase(await engine.createUrl(), async (db) => {
        const migrator = new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS } });
        expect((await migrator.migrateTo(LAST.migration)).error).to.equal(undefined);
        return await shapesOf(db);
      });
      expect(frozen).to.deep.equal(made);
    });

    it("lets a program go on with a database that a newer one has migrated, where that one said so", async () => {
      await onDatabase(await engine.createUrl(), async (db) => {
        const said = { olderPrograms: "work", because: "A new index alone." } as const;
        await migratedByNewer(db, said);
        expect(await migrate(db)).to.deep.equal([]);
        expect(await newerMigrations(db)).to.deep.equal([{ name: "9000_newer", compatibility: said }]);
      });
    });

    it("refuses a newer database that says so, that says nothing, or that lacks what this program has", async () => {
      const refused = { olderPrograms: "refused", because: "The jobs have another name." } as const;
      for (const [said, words] of [
        [refused, "9000_newer: older programs are refused. The jobs have another name."],
        [null, "9000_newer: it does not say whether older programs work on it"],
      ] as const)
        await onDatabase(await engine.createUrl(), async (db) => {
          await migratedByNewer(db, said);
          const error = await refusalOf(migrate(db));
          expect(error).to.be.instanceOf(DatabaseNewer);
          expect(error).to.have.property("code", "database_newer");
          expect(error.message).to.contain(words).and.contain("--back-to");
        });
      await onDatabase(await engine.createUrl(), async (db) => {
        await migratedByNewer(db, { olderPrograms: "work", because: "A new index alone." });
        const last = NAMES.at(-1)!;
        await sql`delete from kysely_migration where name = ${last}`.execute(db);
        expect((await refusalOf(migrate(db))).message).to.contain(`it lacks ${last}`);
      });
    });

    it("is told by the commands and by the service, which do not start where they are refused", async () => {
      const url = await engine.createUrl();
      await onDatabase(url, (db) =>
        migratedByNewer(db, { olderPrograms: "refused", because: "Jobs moved." }),
      );
      for (const command of [["cli/assay.ts", "raw", `0x${"00".repeat(32)}`], ["api/server.ts"]]) {
        const { status, stderr } = spawnSync(process.execPath, command, {
          cwd: ROOT,
          encoding: "utf8",
          env: { ...process.env, DATABASE_URL: url, PORT: "0" },
        });
        expect(stderr, command.join(" ")).to.contain("9000_newer: older programs are refused. Jobs moved.");
        expect(stderr).not.to.contain("    at ");
        expect(status).to.be.oneOf([1, 2]);
      }
    });
  });
});
