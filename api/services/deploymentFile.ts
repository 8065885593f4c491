/** The file that says where the contracts are. */
import { readFileSync } from "node:fs";
import { z } from "zod";
import { Deployment } from "../../chain/deployment.ts";
import { ConfigError } from "../settings/config.ts";

/** @throws ConfigError for a file that cannot be read, or that is no deployment */
export function readDeployment(path: string): Deployment {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, "utf8"));
  } catch {
    throw new ConfigError([
      `DEPLOYMENT_FILE cannot be read as JSON: ${path} (npm run chain writes the local one)`,
    ]);
  }
  const parsed = Deployment.safeParse(content);
  if (!parsed.success)
    throw new ConfigError([`DEPLOYMENT_FILE ${path} is not a deployment:\n${z.prettifyError(parsed.error)}`]);
  return parsed.data;
}
