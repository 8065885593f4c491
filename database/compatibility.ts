/** What a program may do with a database that another version of it has migrated; each migration says it of itself. */

/** Exported by every migration as `compatibility`. */
export interface Compatibility {
  /**
   * Programs that do not know the migration. Either they `work`, reading and writing correctly, so that both versions
   * may run side by side and a rollback is possible, or they must be `refused`.
   */
  readonly olderPrograms: "work" | "refused";
  /** A sentence for operators: what the migration does to tables that were there before, and what is lost meanwhile. */
  readonly because: string;
}

/** A migration that the database has and this program does not know, as the newer program recorded it. */
export interface NewerMigration {
  readonly name: string;
  readonly compatibility: Compatibility;
}

/** The database belongs to another version of this program, and this one must not work on it. Its message is for operators. */
export class WrongDatabase extends Error {
  override readonly name = "WrongDatabase";
}

/**
 * @param applied the names of the database's migrations, in order; none of an empty one
 * @param first the migration that this program begins with
 * @throws WrongDatabase where the database begins with another one
 */
export function requireBaseline(applied: readonly string[], first: string): void {
  if (applied.length === 0 || applied.includes(first)) return;
  throw new WrongDatabase(
    `the database was made by an earlier, unpublished version of this program (it begins with ${applied[0]}, not with ` +
      `${first}).\nThis version cannot use it, and has left it unchanged. Set DATABASE_URL to an empty database or ` +
      "DATA_DIR to a new folder, or run the version that made it.",
  );
}

/**
 * Whether this program may work on a database that a newer one has migrated.
 * @param missing migrations that this program knows and the database has not
 * @throws WrongDatabase
 */
export function requireCompatible(newer: readonly NewerMigration[], missing: readonly string[]): void {
  const works = newer.every(({ compatibility }) => compatibility.olderPrograms === "work");
  if (newer.length === 0 || (works && missing.length === 0)) return;
  throw new WrongDatabase(
    [
      "the database was migrated by a newer version of this program:",
      ...newer.map(({ name, compatibility }) => `  ${name}: ${wordsOf(compatibility)}`),
      ...(missing.length === 0
        ? []
        : [`  and it lacks ${missing.join(", ")}, which this version needs first`]),
      "Start that version again, or take its migrations back with it (assay migrations --back-to), or restore the " +
        "backup from before them.",
    ].join("\n"),
  );
}

/** As in `older programs work: A new index alone.` */
export function wordsOf({ olderPrograms, because }: Compatibility): string {
  return `older programs ${olderPrograms === "work" ? "work" : "are refused"}: ${because}`;
}
