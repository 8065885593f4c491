/**
 * The entry for MCP registries: `server.json`, schema of 2025-12-11
 * (https://github.com/modelcontextprotocol/registry/tree/main/docs/reference/server-json).
 */

export const SERVER_SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";
/** A registry allows 100 characters. */
const DESCRIPTION = "Verified, guarded trades of tokenized US stocks: policies, evidence, certificates.";
/** The host of every deployment, for the file that names none. */
const HOST_VARIABLE = "https://{host}";

/** What an installer asks for: a key, and where no deployment is meant, its host. */
const HEADERS = [
  {
    name: "Authorization",
    description:
      "API key of the service as a bearer, for jobs of your own and higher limits. Without it the tools work by the token of a job. POST /api/v1/keys applies for one, free of charge.",
    value: "Bearer {api_key}",
    isRequired: false,
    isSecret: true,
    variables: {
      api_key: {
        description: "API key, ak_…",
        isRequired: false,
        isSecret: true,
        placeholder: "ak_…",
      },
    },
  },
];
const VARIABLES = {
  host: {
    description: "Host of the Assay service that you use",
    isRequired: true,
    placeholder: "assay.example.com",
  },
};

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
        url: `${baseUrl ?? HOST_VARIABLE}/mcp`,
        headers: HEADERS,
        ...(baseUrl === null ? { variables: VARIABLES } : {}),
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
