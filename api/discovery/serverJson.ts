/**
 * The entry for MCP registries: `server.json`, schema of 2025-12-11
 * (https://github.com/modelcontextprotocol/registry/tree/main/docs/reference/server-json).
 */
import { mcpUrl } from "./facts.ts";
import REMOTE from "./remote.json" with { type: "json" };

export const SERVER_SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";
/** A registry allows 100 characters. */
const DESCRIPTION = "Verified, guarded trades of tokenized US stocks: policies, evidence, certificates.";
/** The host of every deployment, for the file that names none. */
const HOST_VARIABLE = "https://{host}";

export interface ServerJsonFacts {
  /** Of the program. */
  readonly version: string;
  /** The service's URL for clients; null: a template, in which the installer names the host. */
  readonly baseUrl: string | null;
  /** In reverse-DNS form with one slash; by default made from the base URL's host. */
  readonly name?: string;
}

export function serverJson({ version, baseUrl, name }: ServerJsonFacts) {
  return {
    $schema: SERVER_SCHEMA,
    name: name ?? (baseUrl === null ? "com.example/assay" : nameOf(baseUrl)),
    title: "Assay",
    description: DESCRIPTION,
    version,
    ...(baseUrl === null ? {} : { websiteUrl: `${baseUrl}/docs` }),
    remotes: [
      {
        type: "streamable-http",
        url: mcpUrl(baseUrl ?? HOST_VARIABLE),
        headers: REMOTE.headers,
        ...(baseUrl === null ? { variables: REMOTE.variables } : {}),
      },
    ],
  };
}

/** `https://assay.example.com` is `com.example.assay/assay`; an address has no domain to turn around. */
function nameOf(baseUrl: string): string {
  const { hostname } = new URL(baseUrl);
  const named = /^[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z][a-z0-9-]*$/i.test(hostname);
  return `${named ? hostname.split(".").reverse().join(".") : "localhost"}/assay`;
}
