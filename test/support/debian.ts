/** Programs that Debian packages, for tests of what `npm` does not bring. */
import { existsSync } from "node:fs";

/**
 * For a `before`: where the program is missing the file's tests are skipped with a line that says so, and where CI is set
 * they fail.
 */
export function needsProgram(test: Mocha.Context, path: string, debianPackage: string): void {
  if (existsSync(path)) return;
  const line = `${path} is missing (apt-get install ${debianPackage}), so what needs it is not tested`;
  if (process.env.CI) throw new Error(line);
  console.log(`    ${line}`);
  test.skip();
}
