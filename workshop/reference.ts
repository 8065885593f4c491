/** `npm run reference`: writes the pages of settings and errors from what the programs themselves read and print. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { errorsPage } from "./reference/errors.ts";
import { settingsPage } from "./reference/settings.ts";

/** By path. */
export const generatedPages = (): Readonly<Record<string, string>> => ({
  "docs/errors.md": errorsPage(),
  "docs/run/settings.md": settingsPage(),
});

if (import.meta.main)
  for (const [path, text] of Object.entries(generatedPages())) {
    writeFileSync(join(import.meta.dirname, "..", path), text);
    console.log(path);
  }
