/** What a host can read without calling a tool: the policies, the OpenAPI file, the guide, the view of reports. */
import type { ReadResourceResult, Resource } from "@modelcontextprotocol/server";
import type { Backend } from "./backend.ts";
import { GUIDE } from "./guide.ts";
import RESOURCES from "./resources.json" with { type: "json" };

interface Readable extends Resource {
  /** null: it is not there. */
  read(backend: Backend): Promise<string | null>;
}

/** The report view, by its MCP Apps address. Tools whose answer it shows name it. */
export const REPORT_VIEW = RESOURCES.reportView.uri;
/** It loads nothing and asks nobody, so it needs no origin let in. */
const VIEW_META = { ui: { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder: true } };

const READABLE: readonly Readable[] = [
  { ...RESOURCES.guide, read: async () => GUIDE },
  { ...RESOURCES.policies, read: async (backend) => JSON.stringify(await backend.listPolicies()) },
  { ...RESOURCES.openapi, read: (backend) => backend.openapi() },
  { ...RESOURCES.reportView, _meta: VIEW_META, read: (backend) => backend.reportView() },
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
