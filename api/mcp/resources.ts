/** What a host can read without calling a tool: the policies, the OpenAPI file, the guide, the view of reports. */
import type { ReadResourceResult, Resource } from "@modelcontextprotocol/server";
import type { Backend } from "./backend.ts";
import { GUIDE } from "./guide.ts";

interface Readable extends Resource {
  /** null: it is not there. */
  read(backend: Backend): Promise<string | null>;
}

/** The report view, by its MCP Apps address. Tools whose answer it shows name it. */
export const REPORT_VIEW = "ui://assay/report.html";
/** It loads nothing and asks nobody, so it needs no origin let in. */
const VIEW_META = { ui: { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder: true } };

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
    description: "The policies that a trade can be judged by, with definition hashes",
    mimeType: "application/json",
    read: async (backend) => JSON.stringify(await backend.listPolicies()),
  },
  {
    uri: "assay://openapi.json",
    name: "openapi",
    title: "OpenAPI file",
    description: "The HTTP API that the tools wrap",
    mimeType: "application/json",
    read: (backend) => backend.openapi(),
  },
  {
    uri: REPORT_VIEW,
    name: "report-view",
    title: "Report view",
    description: "Shows a report to the user, judged again in the host's own frame (MCP Apps)",
    mimeType: "text/html;profile=mcp-app",
    _meta: VIEW_META,
    read: (backend) => backend.reportView(),
  },
];

export const LISTED_RESOURCES: Resource[] = READABLE.map(({ read: _, ...listed }) => listed);

/** @returns null where there is no such resource */
export async function readResource(backend: Backend, uri: string): Promise<ReadResourceResult | null> {
  const resource = READABLE.find((each) => each.uri === uri);
  const text = await resource?.read(backend);
  if (resource === undefined || text === undefined || text === null) return null;
  const { mimeType, _meta } = resource;
  return { contents: [{ uri, mimeType, text, ...(_meta === undefined ? {} : { _meta }) }] };
}
