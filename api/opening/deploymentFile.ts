/** The file that says where the contracts are. */
import { readFileSync } from "node:fs";
import { z } from "zod";
import {
  KNOWN_KEYS,
  type PublisherKeys,
  withPublisherKeys,
} from "../../attestor/publishers/publisherKeys.ts";
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

/** The known keys of price publishers and those of PUBLISHER_KEYS_FILE. @throws ConfigError */
export function readPublisherKeys(path: string | null): PublisherKeys {
  if (path === null) return KNOWN_KEYS;
  try {
    return withPublisherKeys(JSON.parse(readFileSync(path, "utf8")));
  } catch (error) {
    throw new ConfigError([`PUBLISHER_KEYS_FILE ${path} cannot be used: ${(error as Error).message}`]);
  }
}
