/** The pages of the documents that are generated: by path, what they say. */
import { errorsPage } from "./errors.ts";
import { settingsPage } from "./settings.ts";

export const generatedPages = (): Readonly<Record<string, string>> => ({
  "docs/errors.md": errorsPage(),
  "docs/run/settings.md": settingsPage(),
});
