/** What a program may do with a database that a newer one has migrated; each migration says it of itself. */

/** Exported by every migration as `compatibility`. */
export interface Compatibility {
  /**
   * Programs that do not know the migration: they `work` on it, reading and writing rightly, so that processes of both
   * versions may run beside each other and the older one may come back; or they must be `refused`.
   */
  readonly olderPrograms: "work" | "refused";
  /** A sentence for operators: what the migration does to tables that were there before, and what is lost meanwhile. */
  readonly because: string;
}

/** A migration that the database has and this program does not know. */
export interface NewerMigration {
  readonly name: string;
  /** As the newer program recorded it; null: it recorded nothing, and nothing may be supposed. */
  readonly compatibility: Compatibility | null;
}

/** The database was migrated by a newer program, and this one must not work on it. */
export class DatabaseNewer extends Error {
  readonly code = "database_newer";

  constructor(newer: readonly NewerMigration[], missing: readonly string[]) {
    super(
      [
        "the database was migrated by a newer version of this program:",
        ...newer.map((migration) => `  ${migration.name}: ${wordsOf(migration)}`),
        ...(missing.length === 0
          ? []
          : [`  and it lacks ${missing.join(", ")}, which this version needs first`]),
        "Start that version again, or take its migrations back with it (assay migrations --back-to), or restore the " +
          "backup from before them.",
      ].join("\n"),
    );
    this.name = "DatabaseNewer";
  }
}

function wordsOf({ compatibility }: NewerMigration): string {
  if (compatibility === null) return "it does not say whether older programs work on it";
  const { olderPrograms, because } = compatibility;
  return `older programs ${olderPrograms === "work" ? "work on it" : "are refused"}. ${because}`;
}

/**
 * Whether this program may work on a database that a newer one has migrated.
 * @param missing migrations that this program knows and the database has not
 * @throws DatabaseNewer
 */
export function requireCompatible(newer: readonly NewerMigration[], missing: readonly string[]): void {
  const works = newer.every(({ compatibility }) => compatibility?.olderPrograms === "work");
  if (newer.length > 0 && (!works || missing.length > 0)) throw new DatabaseNewer(newer, missing);
}
