/** What each migration says beside its steps, for programs that do not know it. */
import type { Migration } from "kysely/migration";

export interface Compatibility {
  /**
   * Programs that do not know the migration. Either they `work`, reading and writing correctly, so that both versions
   * may run side by side and a rollback is possible, or they must be `refused`.
   */
  readonly olderPrograms: "work" | "refused";
  /** A sentence for operators: what the migration does to tables that were there before, and what is lost meanwhile. */
  readonly because: string;
}

/** What a file of this folder exports. */
export interface OurMigration extends Required<Migration> {
  readonly compatibility: Compatibility;
}

/** As in `older programs work: A new index alone.` */
export function wordsOf({ olderPrograms, because }: Compatibility): string {
  return `older programs ${olderPrograms === "work" ? "work" : "are refused"}: ${because}`;
}
