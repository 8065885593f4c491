/** The operator's command, as it is typed. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { environment } from "../../../api/settings/environment.ts";

const PROGRAM = join(import.meta.dirname, "../../../cli/assay.ts");

/** @throws Error with what it printed, where it ended with another code than 0 */
export async function assay(args: readonly string[], databaseUrl: string): Promise<void> {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: { ...environment(), DATABASE_URL: databaseUrl },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`assay ${args.join(" ")} ended with ${code}:\n${output}`);
}
