/** What migrations say of older programs, and the way to a made-up next edition and back. */
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect } from "chai";
import { type Kysely, sql } from "kysely";
import { UnusableDatabase } from "../../database/errors.ts";
import { appliedMigrations, migrate, newerMigrations, takeBack } from "../../database/migrate.ts";
import { EDITION } from "../../database/migrations/all.ts";
import type { Database } from "../../database/open.ts";
import { createBackup } from "../../scripts/backup.ts";
import { migrations, showMigrations } from "../../scripts/migrations.ts";
import { forEachEngine, onDatabase, rowsOf } from "../support/database.ts";
import { failureOf } from "../support/failure.ts";
import { fakeConsole } from "../support/fakeConsole.ts";
import { LABELLED, NEXT } from "../support/nextEdition.ts";
import { startFunction } from "../support/programs.ts";
import { testFolder } from "../support/suite.ts";
import { typed } from "../support/typed.ts";

const ROOT = join(import.meta.dirname, "../..");
const LAST = Object.keys(EDITION.migrations).at(-1)!;
/** The first migration of the versions before there was a baseline. */
const OLD = "0001_keys_and_samples";
const OLD_WORDS = `made by an earlier, unpublished version of this program (it begins with ${OLD}, not with 0001_baseline)`;

const NEWER_WORDS = "9002_renamed: older programs are refused: The keys' purpose has another name.";

/** Columns and rows of every table, the migrator's own among them. */
async function dumpOf(db: Database): Promise<object> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  const rows: Record<string, string[]> = {};
  for (const { name } of tables) {
    const found = await sql<object>`select * from ${sql.table(name)}`.execute(db);
    rows[name] = found.rows.map((row) => JSON.stringify(row)).sort();
  }
  return { tables, rows };
}

async function fill(db: Database): Promise<void> {
  await sql`insert into api_keys (id, digest, name, email, purpose, state, created_at, updated_at)
    values ('key', 'ab', 'Ann', 'ann@example.org', 'tests', 'active', 1, 2)`.execute(db);
  await sql`insert into jobs (id, key_id, client_request_id, request_hash, intent, policy_version, created_at, expires_at,
    last_version) values ('job', 'key', 'c', 'h', '{}', 3, 1, 2, 1)`.execute(db);
}

/** As a version of before the baseline left it, filled. */
async function makeOld(db: Database): Promise<void> {
  await migrate(db);
  await fill(db);
  await sql`update kysely_migration set name = ${OLD}`.execute(db);
}

/** What a process of its own does: it dies silently at the n-th statement of a migration, where that has so many. */
async function migrateAndDie(url: string, name: string, nth: number): Promise<void> {
  const { migrate } = await import("../../database/migrate.ts");
  const { openDatabase } = await import("../../database/open.ts");
  const { NEXT } = await import("../support/nextEdition.ts");
  const { watching } = await import("../support/watching.ts");
  const migration = NEXT.migrations[name]!;
  let seen = 0;
  const dying = watching(() => {
    if (++seen === nth) process.kill(process.pid, "SIGKILL");
  });
  const killed = { ...migration, up: (to: Kysely<unknown>) => migration.up(to.withPlugin(dying)) };
  await using db = openDatabase(url);
  await migrate(db, { ...NEXT, migrations: { ...NEXT.migrations, [name]: killed } });
}

describe("the compatibility of migrations", function () {
  this.timeout(180_000);

  it("is said by each of them, in a sentence", () => {
    for (const [name, { compatibility }] of Object.entries(EDITION.migrations))
      expect(compatibility.because, name).to.match(/^[A-Z].*\.$/);
  });

  forEachEngine((engine) => {
    it("is kept in the database for every migration, and not for those that were taken back", async () => {
      await onDatabase(await engine.createEmptyUrl(), async (db) => {
        const said = Object.entries(NEXT.migrations).map(([migration, { compatibility }]) => {
          const { olderPrograms, because } = compatibility;
          return { migration, older_programs: olderPrograms, because };
        });
        const recorded = () => rowsOf(db, "migration_compatibility");
        await migrate(db, NEXT);
        expect(await recorded()).to.have.deep.members(said);
        expect(await takeBack(db, "9001_labels", NEXT)).to.deep.equal(["9002_renamed"]);
        expect(await recorded()).to.have.deep.members(said.slice(0, -1));
      });
    });

    it("lets a filled database be brought up to date and taken back, table by table and row by row", async () => {
      await onDatabase(await engine.createEmptyUrl(), async (db) => {
        await migrate(db);
        await fill(db);
        const before = await dumpOf(db);
        const rows = await rowsOf(db, "jobs");
        expect(await migrate(db, NEXT)).to.deep.equal(["9001_labels", "9002_renamed"]);
        expect(await rowsOf(db, "jobs")).to.deep.equal([{ ...rows[0], label: null }]);
        expect((await sql`select aim from api_keys`.execute(db)).rows).to.deep.equal([{ aim: "tests" }]);
        expect(await takeBack(db, LAST, NEXT)).to.deep.equal(["9002_renamed", "9001_labels"]);
        expect(await dumpOf(db)).to.deep.equal(before);
        expect(await appliedMigrations(db)).to.deep.equal(Object.keys(EDITION.migrations));
      });
    });

    it("a filled database is as it was when the migrating process is killed at any statement, and whole after the next start", async () => {
      const url = await engine.createEmptyUrl();
      const before = await onDatabase(url, async (db) => {
        await migrate(db);
        await fill(db);
        return dumpOf(db);
      });
      let deaths = 0;
      for (;;) {
        const child = startFunction(import.meta.dirname, migrateAndDie, url, "9002_renamed", deaths + 1);
        const [code, signal] = await once(child, "exit");
        if (signal === null) {
          expect(code).to.equal(0);
          break;
        }
        deaths++;
        expect(await onDatabase(url, dumpOf), `killed at statement ${deaths}`).to.deep.equal(before);
      }
      expect(deaths).to.equal(2);
      await onDatabase(url, async (db) => {
        expect(await migrate(db, NEXT)).to.deep.equal([]);
        expect((await sql`select aim from api_keys`.execute(db)).rows).to.deep.equal([{ aim: "tests" }]);
      });
    });

    it("lets a program go on with a database that a newer one has migrated, where that one said so", async () => {
      await onDatabase(await engine.createEmptyUrl(), async (db) => {
        await migrate(db, LABELLED);
        expect(await migrate(db)).to.deep.equal([]);
        const name = "9001_labels";
        const { compatibility } = LABELLED.migrations[name]!;
        expect(await newerMigrations(db)).to.deep.equal([{ name, compatibility }]);
      });
    });

    it("refuses a newer database that says so, that says nothing, or that lacks what this program has", async () => {
      await onDatabase(await engine.createEmptyUrl(), async (db) => {
        await migrate(db, NEXT);
        const refusal = async (edition = EDITION) =>
          (await failureOf(migrate(db, edition), UnusableDatabase)).message;
        expect(await refusal())
          .to.contain(NEWER_WORDS)
          .and.contain("--back-to");
        await takeBack(db, "9001_labels", NEXT);
        expect(await migrate(db)).to.deep.equal([]);
        const between = { ...EDITION.migrations, "8000_between": EDITION.migrations[LAST]! };
        const lacking = await refusal({ migrations: between, releases: [] });
        expect(lacking).to.contain("it lacks 8000_between");
        await db.deleteFrom("migration_compatibility").where("migration", "=", "9001_labels").execute();
        const silent = "9001_labels: older programs are refused: It says nothing of them.";
        expect(await refusal()).to.contain(silent);
      });
    });

    const folder = testFolder("old");

    it("refuses a database of before the baseline, at the start and by every command, and leaves it as it was", async () => {
      const url = await engine.createEmptyUrl();
      const env = { DATABASE_URL: url };
      const world = { ...fakeConsole().world, exists: async () => true, env };
      const before = await onDatabase(url, async (db) => {
        await makeOld(db);
        return dumpOf(db);
      });
      for (const use of [
        () => onDatabase(url, migrate),
        () => typed(migrations, [], world),
        () => showMigrations({ backTo: "8.0.0", execute: true }, world, NEXT),
        // Of PostgreSQL none is made: pg_dump does that.
        ...(engine.name === "sqlite" ? [() => typed(createBackup, [join(folder, "backup.gz")], world)] : []),
      ]) {
        const { message } = await failureOf(use(), UnusableDatabase);
        expect(message).to.contain(OLD_WORDS).and.contain("Set DATABASE_URL to an empty database");
      }
      expect(await onDatabase(url, dumpOf)).to.deep.equal(before);
    });

    if (engine.name === "sqlite")
      it("is reported by the commands and by the service, which do not start where they are refused", async () => {
        const [newer, old] = [await engine.createEmptyUrl(), await engine.createEmptyUrl()];
        await onDatabase(newer, (db) => migrate(db, NEXT));
        await onDatabase(old, makeOld);
        for (const [url, words, ...command] of [
          [newer, NEWER_WORDS, "scripts/assay.ts", "retention", "--plan"],
          [newer, NEWER_WORDS, "api/server.ts"],
          [old, OLD_WORDS, "api/server.ts"],
          [old, OLD_WORDS, "scripts/assay.ts", "keys", "list"],
          [old, OLD_WORDS, "scripts/assay.ts", "payments", "list"],
          [old, OLD_WORDS, "scripts/assay.ts", "collect", "once"],
        ] as const) {
          const env = { ...process.env, DATABASE_URL: url, PORT: "0" };
          const options = { cwd: ROOT, encoding: "utf8", env } as const;
          const { status, stderr } = spawnSync(process.execPath, command, options);
          expect(stderr, command.join(" ")).to.contain(words);
          expect(stderr).not.to.contain("    at ");
          expect(status).to.be.oneOf([1, 2]);
        }
      });
  });
});
