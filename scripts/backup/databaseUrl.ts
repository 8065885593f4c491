import { ConfigError, environment, parseDatabaseUrl } from "../../api/config.ts";
import { PlainError } from "../assay/console.ts";

/** The database of the environment. @throws PlainError */
export function databaseUrlOf(): string {
  try {
    return parseDatabaseUrl(environment()).reveal();
  } catch (error) {
    if (error instanceof ConfigError) throw new PlainError(error.message);
    throw error;
  }
}
