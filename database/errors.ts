/** What can go wrong with a database, told the same way for both engines. */

/** The database cannot be asked at the moment; the same call may succeed later. */
export class DatabaseUnavailable extends Error {
  readonly code = "database_unavailable";
  /** Why, for clients too: it names no file, host or value. null: not known, or in the driver's words alone. */
  readonly reason: string | null;

  constructor(cause: unknown, reason: string | null = null) {
    super("the database is unavailable", { cause });
    this.name = "DatabaseUnavailable";
    this.reason = reason;
  }
}

/** The database answers, but it has more to do than it can: whoever waits a moment and asks again gets through. */
export class DatabaseOverloaded extends DatabaseUnavailable {
  constructor(cause: unknown) {
    super(cause, "it has more to do than it can");
    this.name = "DatabaseOverloaded";
  }
}

export function isDatabaseUnavailable(error: unknown): error is DatabaseUnavailable {
  return error instanceof DatabaseUnavailable;
}

/**
 * This program must not work on the database until an operator did something about it. The message is for operators: what
 * is wrong, and what to do. It names the file, and nothing that is secret.
 */
export class UnusableDatabase extends Error {
  readonly code: "database_damaged" | "database_of_another_version";

  constructor(code: UnusableDatabase["code"], message: string) {
    super(message);
    this.name = "UnusableDatabase";
    this.code = code;
  }
}

/** For answers that do without the database: nothing where it is away. @throws every other error */
export function nullIfAway(error: unknown): null {
  if (!isDatabaseUnavailable(error)) throw error;
  return null;
}

/** Whether an insert or update met a row with the same unique or primary key. */
export function isUniqueViolation(error: unknown): boolean {
  const code = codeOf(error);
  return code === "23505" || code === "SQLITE_CONSTRAINT_UNIQUE" || code === "SQLITE_CONSTRAINT_PRIMARYKEY";
}

/** The driver's own code of an error, or undefined. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
