/** The process's environment: read here and nowhere else. */
import { readFileSync } from "node:fs";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Settings that hold a secret, beside the keys of providers: each may be given as `<name>_FILE`, a file whose content it is. */
export const FROM_FILES: readonly string[] = [
  "DATABASE_URL",
  "RPC_URL",
  "SOLANA_RPC_URL",
  "FACILITATOR_URL",
  "FACILITATOR_KEY",
];

/**
 * The process's environment, as a copy that may be changed and handed on.
 * @throws Error in words for people when a secret's file cannot be read, or the secret is given in both ways
 */
export function environment(): Record<string, string | undefined> {
  return withFiles({ ...process.env });
}

/** @param given is changed @param readFile throws where it cannot */
export function withFiles(
  given: Record<string, string | undefined>,
  readFile: (path: string) => string = (path) => readFileSync(path, "utf8"),
  names: readonly string[] = FROM_FILES,
): Record<string, string | undefined> {
  for (const name of names) {
    const path = given[`${name}_FILE`];
    if (!path) continue;
    if (given[name]) throw new Error(`${name} and ${name}_FILE are both set: one of them has to go`);
    try {
      given[name] = readFile(path).trim();
    } catch {
      throw new Error(`${name}_FILE: ${path} cannot be read`);
    }
    delete given[`${name}_FILE`];
  }
  return given;
}

/** Sets a variable for a library in this process that looks there itself. What is set already stays. */
export function presetVariable(name: string, value: string): void {
  process.env[name] ??= value;
}
