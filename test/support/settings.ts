/** For tests of the settings. */
import { ConfigError } from "../../api/settings/config.ts";

/** Everything that a start complains of; nothing where it takes the settings. */
export function faultsWhen(parse: () => unknown): readonly string[] {
  try {
    parse();
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}
