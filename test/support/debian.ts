/** Programs that Debian packages, for tests of what `npm` does not bring, and what `deploy` configures them by. */
import { existsSync, readFileSync } from "node:fs";
import { lacking } from "./suite.ts";

const FOLDERS = ["/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin"];

/**
 * Where a program is, for the `before` of a test file. Where it is not installed the file's tests are skipped with a line
 * that says so; where CI is set they fail.
 * @param debianPackage where its name is not the program's
 */
export function debianProgram(test: Mocha.Context, name: string, debianPackage = name): string {
  const path = FOLDERS.map((folder) => `${folder}/${name}`).find(existsSync);
  return path ?? lacking(test, `${name} is not installed (apt-get install ${debianPackage})`);
}

/** The configuration of HAProxy. @param places the texts to replace, each with its replacement; each must occur */
export function haproxyConfig(places: readonly (readonly [string, string])[]): string {
  let text = readFileSync(new URL("../../deploy/haproxy/haproxy.cfg", import.meta.url), "utf8");
  for (const [from, to] of places) {
    if (!text.includes(from)) throw new Error(`deploy/haproxy/haproxy.cfg has no ${from}`);
    text = text.replaceAll(from, to);
  }
  return text;
}
