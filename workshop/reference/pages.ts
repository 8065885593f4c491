/** The pages of the documents that are generated: by path, what they say. */
import { commandsPage } from "./commands.ts";
import { errorsPage } from "./errors.ts";
import { settingsPage } from "./settings.ts";

export const generatedPages = (): Readonly<Record<string, string>> => ({
  "docs/commands.md": commandsPage(),
  "docs/errors.md": errorsPage(),
  "docs/run/settings.md": settingsPage(),
});
