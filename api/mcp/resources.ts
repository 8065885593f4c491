/** What a host can read without calling a tool: the policies, the OpenAPI file, the guide. */
import type { ReadResourceResult, Resource } from "@modelcontextprotocol/server";
import type { Backend } from "./backend.ts";
import { GUIDE } from "./guide.ts";

interface Readable extends Resource {
  read(backend: Backend): Promise<string>;
}

const READABLE: readonly Readable[] = [
  {
    uri: "assay://guide",
    name: "guide",
    title: "Guide",
    description: "The tools in their order, and where the user's wallet must sign",
    mimeType: "text/markdown",
    read: async () => GUIDE,
  },
  {
    uri: "assay://policies",
    name: "policies",
    title: "Policies",
    description: "What a trade can be judged by, with definition hashes",
    mimeType: "application/json",
    read: async (backend) => JSON.stringify(await backend.listPolicies()),
  },
  {
    uri: "assay://openapi.json",
    name: "openapi",
    title: "OpenAPI file",
    description: "The HTTP API that the tools are a thin wrapper of",
    mimeType: "application/json",
    read: (backend) => backend.openapi(),
  },
];

export const LISTED_RESOURCES: Resource[] = READABLE.map(({ read: _, ...listed }) => listed);

/** @returns null where there is no such resource */
export async function readResource(backend: Backend, uri: string): Promise<ReadResourceResult | null> {
  const resource = READABLE.find((each) => each.uri === uri);
  if (resource === undefined) return null;
  return { contents: [{ uri, mimeType: resource.mimeType, text: await resource.read(backend) }] };
}
