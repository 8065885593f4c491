import { ConfigError, parseDatabaseUrl } from "../../api/settings/config.ts";
import { environment } from "../../api/settings/environment.ts";
import { PlainError } from "../console.ts";

/** The database of the environment. @throws PlainError */
export function databaseUrlOf(): string {
  try {
    return parseDatabaseUrl(environment()).reveal();
  } catch (error) {
    if (error instanceof ConfigError) throw new PlainError(error.message);
    throw error;
  }
}
