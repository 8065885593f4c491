/** `npm run reference`: writes the pages of settings and errors from what the programs themselves read and print. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { generatedPages } from "./reference/pages.ts";

for (const [path, text] of Object.entries(generatedPages())) {
  writeFileSync(join(import.meta.dirname, "..", path), text);
  console.log(path);
}
