/** `assay database migrations`: which migrations a database has, what each says of older programs, and the way back. */
import { appliedMigrations, newerMigrations, takeBack } from "../database/migrate.ts";
import { EDITION, type Edition } from "../database/migrations/all.ts";
import { wordsOf } from "../database/migrations/migration.ts";
import type { Database } from "../database/open.ts";
import { command, flag, text } from "./command.ts";
import type { World } from "./console.ts";
import { DATABASE_SETTINGS, databaseUrlOf, withDatabase } from "./database.ts";
import { EXIT, Unusable, UsageError } from "./errors.ts";
import { JSON_OPTION, show } from "./json.ts";

type Row = Awaited<ReturnType<typeof rowsOf>>[number];

export const migrations = command({
  summary:
    "List the database's migrations and this program's, and what each says of older programs; or go back to a release",
  options: {
    backTo: text("RELEASE", "take back what came after that release, newest first, all of it or nothing"),
    execute: flag("do it; without this, it says what it would do"),
    ...JSON_OPTION,
  },
  notes: [
    "What migrations added is lost when they are taken back. Stop every process and make a backup first.",
    DATABASE_SETTINGS,
  ],
  run: (given, world) => showMigrations(given, world, EDITION),
});

/** @returns the exit code @throws UsageError, Unusable */
export async function showMigrations(
  {
    backTo,
    execute,
    json = false,
  }: { readonly backTo?: string | undefined; readonly execute: boolean; readonly json?: boolean },
  world: World,
  edition: Edition,
): Promise<number> {
  if (backTo === undefined && execute) throw new UsageError("--execute goes with --back-to");
  if (backTo !== undefined && json) throw new UsageError("--json does not go with --back-to");
  return await withDatabase(databaseUrlOf(world), world, async (db) => {
    const rows = await rowsOf(db, edition);
    if (backTo !== undefined) {
      const plan = returnTo(backTo, rows, edition);
      if (execute && plan.taken.length > 0) await takeBack(db, plan.last, edition);
      for (const line of returnLines(backTo, plan, execute)) world.out(line);
      return EXIT.ok;
    }
    show(world, json, rows, linesOf(rows));
    return EXIT.ok;
  });
}

async function rowsOf(db: Database, edition: Edition) {
  const applied = new Set(await appliedMigrations(db, edition));
  const known = Object.entries(edition.migrations).map(([name, { compatibility }]) => ({
    name,
    compatibility,
    /** Whether this program has it. */
    known: true,
  }));
  const newer = (await newerMigrations(db, edition)).map((migration) => ({ ...migration, known: false }));
  return [...known, ...newer]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((row) => ({
      ...row,
      applied: applied.has(row.name),
      /** The release that ended with it; null: none. */
      release: edition.releases.find(({ migration }) => migration === row.name)?.version ?? null,
    }));
}

function linesOf(rows: readonly Row[]): string[] {
  const width = Math.max(...rows.map(({ name }) => name.length));
  const lines = rows.flatMap(({ name, applied, known, compatibility, release }) => [
    `${name.padEnd(width)}  ${applied ? "applied" : "pending"}  ${wordsOf(compatibility)}${known ? "" : " (unknown to this version)"}`,
    ...(release === null ? [] : [`${"-".repeat(width)}  end of release ${release}`]),
  ]);
  const pending = rows.filter(({ applied }) => !applied).length;
  return [
    ...lines,
    "",
    pending === 0 ? "Nothing is pending." : `${pending} pending: the next start of the service runs them.`,
  ];
}

/** What is taken back, newest first, and the migration that is the last then. @throws UsageError, Unusable */
function returnTo(backTo: string, rows: readonly Row[], { releases }: Edition) {
  const versions = releases.map(({ version }) => version).join(", ");
  const release = releases.find(({ version }) => version === backTo);
  if (release === undefined)
    throw new UsageError(`there is no release ${backTo}; there are: ${versions || "none yet"}`);
  const { migration: last } = release;
  const unknown = rows.filter(({ known }) => !known);
  if (unknown.length > 0)
    throw new Unusable(
      `the database has ${unknown.map(({ name }) => name).join(", ")}, which a newer version made: take them back with that one`,
    );
  if (!rows.some(({ name, applied }) => applied && name === last))
    throw new Unusable(`the database is older than release ${backTo}: it does not have ${last}`);
  return { last, taken: rows.filter(({ name, applied }) => applied && name > last).reverse() };
}

function returnLines(backTo: string, { taken }: ReturnType<typeof returnTo>, execute: boolean): string[] {
  if (taken.length === 0) return [`The database is that of release ${backTo}.`];
  const verb = execute ? "took back" : "would take back";
  return [
    ...taken.map(({ name, compatibility }) => `${verb} ${name}: ${compatibility.because}`),
    execute
      ? `The database is that of release ${backTo} now.`
      : "Nothing was changed. With --execute it is done: stop every process and make a backup first.",
  ];
}
