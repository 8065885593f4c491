/** Where the tasks read and write, when nothing else is said. */
import { join } from "node:path";

export const REPOSITORY = join(import.meta.dirname, "../..");
export const DEPLOYMENTS_DIR = join(REPOSITORY, "deployments");
