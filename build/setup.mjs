// What `npm start` and other commands of the product need before they run: packages, compiled contracts, bundled pages.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { install } from "./install.mjs";
import { run } from "./programs.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

if (!(await install({ all: false, title: "1/3 Installing packages" }))) process.exit(1);
// Node 24 is among the packages.
const built = await run(join(ROOT, "node_modules/.bin/node"), ["build/build.ts"], { cwd: ROOT, shows: true });
process.exitCode = built.status;
